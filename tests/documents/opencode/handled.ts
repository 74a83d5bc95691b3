export const CustomTool = Tool.define("custom", {
  // ...
  async execute(args, ctx) {
    const output = generateLargeOutput()
    
    // 自行处理截断逻辑
    const truncated = await Truncate.output(output, { 
      maxLines: 1000,
      direction: "tail" 
    }, ctx.extra?.agent)

    return {
      title: "Custom Tool Result",
      output: truncated.content,
      metadata: {
        truncated: truncated.truncated,  // 设置此字段绕过自动截断
        customPath: truncated.truncated ? truncated.outputPath : undefined,
      },
    }
  },
})
