// 在创建 ToolRegistry 后设置截断
import { TruncationService, createTruncationMiddleware } from '../truncation';

export const createDefaultToolRegistry = (config: ToolRegistryConfig, provider?: LLMProvider) => {
  const toolRegistry = new ToolRegistry(config);
  toolRegistry.register(getDefaultTools(config.workingDirectory, provider));

  // 创建截断服务
  const truncationService = new TruncationService({
    global: {
      maxLines: 2000,
      maxBytes: 50 * 1024,
      direction: 'head',
    },
    tools: {
      bash: { direction: 'tail', maxLines: 500 },
      grep: { maxLines: 3000 },
    },
    onEvent: (event) => {
      console.log(`[Truncation] ${event.type}: ${event.toolName}`);
    },
  });

  // 创建并设置中间件
  const middleware = createTruncationMiddleware({
    service: truncationService,
    skipTools: ['web_fetch'],  // 跳过某些工具
  });

  toolRegistry.setTruncationMiddleware(middleware);

  return toolRegistry;
};
