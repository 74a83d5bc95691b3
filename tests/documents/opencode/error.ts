// 始终处理截断结果
const result = await Truncate.output(text)

if (result.truncated) {
  // 记录文件路径，供后续访问
  logger.info(`完整输出保存到: ${result.outputPath}`)
  
  // 在元数据中包含路径
  return {
    output: result.content,
    metadata: {
      truncated: true,
      fullOutputPath: result.outputPath,
    },
  }
}
