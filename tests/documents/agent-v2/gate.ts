// middleware.ts 中
if (result.metadata && 'truncated' in result.metadata && result.metadata.truncated !== undefined) {
  // 工具已自行处理截断，跳过
  return result;
}
