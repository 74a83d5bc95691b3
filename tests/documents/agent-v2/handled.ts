// tool/custom.ts
export class CustomTool extends BaseTool<z.ZodType> {
  async execute(args, context) {
    const output = await generateLargeOutput();

    // 工具自己处理截断
    return {
      success: true,
      output: customTruncate(output),
      metadata: {
        // 标记已处理，跳过自动截断
        truncated: true,
        customTruncation: true,
      },
    };
  }
}
