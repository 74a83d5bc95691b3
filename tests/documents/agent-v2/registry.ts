// 新增导入
import type { TruncationMiddleware } from '../truncation/middleware';

export class ToolRegistry {
  // ... 现有代码 ...
  
  private truncationMiddleware?: TruncationMiddleware;

  /**
   * 设置截断中间件
   */
  setTruncationMiddleware(middleware: TruncationMiddleware): void {
    this.truncationMiddleware = middleware;
  }

  /**
   * 执行工具（修改后）
   */
  async execute(
    toolCalls: ToolCall[],
    context?: ExecutionContext
  ): Promise<ToolExecutionResult[]> {
    // ... 现有执行逻辑 ...

    const results = await Promise.all(
      toolCalls.map(async (toolCall) => {
        // ... 现有代码直到获取 result ...

        // 应用截断中间件（新增）
        if (this.truncationMiddleware && result.output) {
          result = await this.truncationMiddleware(name, result, {
            toolName: name,
            sessionId: context?.sessionId,
          });
        }

        // ... 后续处理 ...
        return {
          tool_call_id: toolCall.id,
          name,
          arguments: paramsStr,
          result,
        };
      })
    );

    return results;
  }
}
