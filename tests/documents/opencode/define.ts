export function define<Parameters extends z.ZodType, Result extends Metadata>(
  id: string,
  init: Info["init"] | Awaited<ReturnType<Info["init"]>>
): Info {
  return {
    id,
    init: async (initCtx) => {
      const toolInfo = init instanceof Function ? await init(initCtx) : init
      const execute = toolInfo.execute

      // 包装 execute 函数
      toolInfo.execute = async (args, ctx) => {
        // 1. 参数验证
        toolInfo.parameters.parse(args)

        // 2. 执行原始函数
        const result = await execute(args, ctx)

        // 3. 检查是否需要自动截断
        if (result.metadata.truncated !== undefined) {
          // 工具已自行处理截断，跳过
          return result
        }

        // 4. 自动截断
        const truncated = await Truncate.output(
          result.output, 
          {}, 
          initCtx?.agent  // 传入 Agent 信息用于智能提示
        )

        return {
          ...result,
          output: truncated.content,
          metadata: {
            ...result.metadata,
            truncated: truncated.truncated,
            ...(truncated.truncated && { outputPath: truncated.outputPath }),
          },
        }
      }
      return toolInfo
    },
  }
}
