export namespace Truncate {
  // 默认最大行数
  export const MAX_LINES = 2000

  // 默认最大字节数 (50KB)
  export const MAX_BYTES = 50 * 1024

  // 截断文件存储目录
  export const DIR = path.join(Global.Path.data, "tool-output")

  // 截断文件匹配模式
  export const GLOB = path.join(DIR, "*")

  // 文件保留期限 (7天)
  const RETENTION_MS = 7 * 24 * 60 * 60 * 1000
}
