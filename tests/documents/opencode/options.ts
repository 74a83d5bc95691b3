export interface Options {
  // 自定义最大行数 (默认 2000)
  maxLines?: number
  
  // 自定义最大字节数 (默认 50KB)
  maxBytes?: number
  
  // 截断方向：head 保留头部，tail 保留尾部
  direction?: "head" | "tail"
}
