// 判别联合的类型收窄
const result = await truncationService.output(content, context);

if (result.truncated) {
  // TypeScript 知道这里有 outputPath
  console.log(`完整内容保存在: ${result.outputPath}`);
  console.log(`移除了 ${result.removedLines} 行`);
} else {
  // TypeScript 知道这里没有 outputPath
  console.log('内容未截断');
}
