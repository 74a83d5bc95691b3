// tool/bash.ts
export default class BashTool extends BaseTool<z.ZodType> {
  name = 'bash';
  description = '...';
  schema = z.object({ ... });

  // 声明截断配置
  truncation: Partial<TruncationConfig> = {
    direction: 'tail',
    maxLines: 500,
  };

  async execute(args, context) {
    // ... 执行逻辑 ...
  }
}
