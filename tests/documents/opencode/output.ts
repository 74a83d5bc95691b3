export async function output(
  text: string, 
  options: Options = {}, 
  agent?: Agent.Info
): Promise<Result> {
  // 1. 获取限制值
  const maxLines = options.maxLines ?? MAX_LINES
  const maxBytes = options.maxBytes ?? MAX_BYTES
  const direction = options.direction ?? "head"

  // 2. 计算当前输出大小
  const lines = text.split("\n")
  const totalBytes = Buffer.byteLength(text, "utf-8")

  // 3. 快速路径：未超限
  if (lines.length <= maxLines && totalBytes <= maxBytes) {
    return { content: text, truncated: false }
  }

  // 4. 执行截断
  // ...详见下方

  // 5. 保存完整输出到文件
  // ...

  // 6. 生成智能提示
  // ...

  // 7. 返回结果
  return { content: message, truncated: true, outputPath: filepath }
}
