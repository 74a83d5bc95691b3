export const LogTool = Tool.define("logs", {
  description: "查看日志",
  parameters: z.object({
    service: z.string(),
    lines: z.number().optional(),
  }),
  async execute(args, ctx) {
    const logs = await readLogs(args.service)
    
    // 自定义截断：日志通常看尾部
    const result = await Truncate.output(logs, {
      direction: "tail",
      maxLines: args.lines ?? 500,
    })

    return {
      title: `${args.service} 日志`,
      output: result.content,
      metadata: {
        truncated: result.truncated,
        logPath: result.truncated ? result.outputPath : undefined,
      },
    }
  },
})
