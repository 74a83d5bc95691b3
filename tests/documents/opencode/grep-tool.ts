export const GrepTool = Tool.define("grep", {
  description: "搜索文件内容",
  parameters: z.object({
    pattern: z.string(),
    path: z.string(),
  }),
  async execute(args, ctx) {
    // 执行 grep 搜索
    const matches = await searchFiles(args.pattern, args.path)
    const output = formatMatches(matches)

    // 返回结果，让 Tool.define 自动处理截断
    return {
      title: `搜索结果: ${args.pattern}`,
      output,
      metadata: {
        matchCount: matches.length,
      },
    }
  },
})
