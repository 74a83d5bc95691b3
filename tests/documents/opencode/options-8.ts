interface Options {
  maxLines?: number      // 覆盖默认行数限制
  maxBytes?: number      // 覆盖默认字节限制
  direction?: "head" | "tail"  // 截断方向
}
