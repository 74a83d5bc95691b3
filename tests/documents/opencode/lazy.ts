// 使用 lazy 工具实现惰性初始化
const init = lazy(cleanup)

export async function output(...) {
  // ...
  
  // 确保清理任务已初始化（仅首次调用时执行）
  await init()
  
  // 继续截断逻辑...
}
