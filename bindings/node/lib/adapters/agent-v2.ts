/**
 * The truncation service and middleware of the agent-v2 design, by the names of its document.
 *
 *     const service = new TruncationService({ global: { maxLines: 2000 }, tools: { bash: { direction: 'tail' } } });
 *     registry.setTruncationMiddleware(createTruncationMiddleware({ service, skipTools: ['web_fetch'] }));
 */

import { decided, settings, type Gates, type TruncationService } from './agent-v2/service.js';
import { applyFields } from './fields.js';
import type { AnyToolResult, ToolResult, TruncationContext, TruncationOptions } from './agent-v2/types.js';

export { TruncationService } from './agent-v2/service.js';
export { TruncationStorage } from './agent-v2/storage.js';
export { BaseTruncationStrategy, DefaultTruncationStrategy } from './agent-v2/strategies.js';
export * from './agent-v2/types.js';

/** The options of the middleware. */
export interface TruncationMiddlewareConfig {
  service: TruncationService;
  /** Tools whose results pass unchanged. */
  skipTools?: string[] | undefined;
  /** Decides for each result: `false` passes it, `true` shortens it, and options shorten it with these options. */
  shouldTruncate?(toolName: string, result: ToolResult): boolean | TruncationOptions;
}

/** Shortens the result of a tool. */
export type TruncationMiddleware = <R extends AnyToolResult>(
  toolName: string,
  result: R,
  context: TruncationContext,
) => Promise<R & ToolResult>;

/** Makes a middleware for a registry of tools. */
export function createTruncationMiddleware(config: TruncationMiddlewareConfig): TruncationMiddleware {
  const { service, skipTools } = config;
  const gates: Gates = { skipTools };
  if (config.shouldTruncate) {
    // Warnings contain the name of this function.
    const shouldTruncate: Gates['shouldSpill'] = (tool, result, call) => {
      const asked: unknown = config.shouldTruncate?.(tool, result as ToolResult);
      const isOptions = typeof asked === 'object' && asked !== null && !Array.isArray(asked) && !('then' in asked);
      if (!isOptions) return asked as boolean;
      decided(call, asked);
      return settings(asked);
    };
    gates.shouldSpill = shouldTruncate;
  }
  return async <R extends AnyToolResult>(toolName: string, result: R, context: TruncationContext): Promise<R & ToolResult> => {
    const overspill = service.overspill(gates);
    return applyFields(overspill, result as R & ToolResult, service.call({ ...context, toolName }, overspill));
  };
}
