const result = await Truncate.output(text)

if (result.truncated) {
  // TypeScript 自动收窄类型
  // result.outputPath 在此分支一定存在
  console.log(`完整输出保存在: ${result.outputPath}`)
} else {
  // 此分支没有 outputPath
  console.log('输出未截断')
}
