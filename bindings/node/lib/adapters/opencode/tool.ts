/** opencode's `Tool.define`: a tool whose result is shortened unless the tool did so itself. */

import type { Overspill } from '../../index.js';

/** An agent, as far as its permissions matter. */
export interface Agent {
  permission?: Array<{ permission: string; pattern: string; action: 'allow' | 'ask' | 'deny' }> | undefined;
}

/** What a tool returns. `metadata.truncated` says that the tool has shortened its output itself. */
export interface ToolOutput {
  title: string;
  output: string;
  // biome-ignore lint: metadata of any tool
  metadata: Record<string, any>;
}

/** Checks arguments and throws if they are wrong, as schemas of zod do. */
export interface Parameters {
  // biome-ignore lint: what zod has
  parse(args: unknown): any;
}

/** What a tool knows of its call. */
export interface ToolContext {
  extra?: { agent?: Agent; [key: string]: unknown } | undefined;
  // biome-ignore lint: the host decides what else there is
  [key: string]: any;
}

/** What a tool knows when it is set up. */
export interface InitContext {
  agent?: Agent | undefined;
}

/** A tool as it is written. */
export interface ToolDefinition<P extends Parameters, R extends ToolOutput> {
  description?: string;
  parameters?: P;
  execute(args: ReturnType<P['parse']>, ctx: ToolContext): Promise<R>;
}

/** A tool as opencode registers it. */
export interface ToolInfo<P extends Parameters, R extends ToolOutput> {
  id: string;
  init(ctx?: InitContext): Promise<ToolDefinition<P, R>>;
}

export type Define = <P extends Parameters, R extends ToolOutput>(
  id: string,
  init: ToolDefinition<P, R> | ((ctx?: InitContext) => ToolDefinition<P, R> | Promise<ToolDefinition<P, R>>),
) => ToolInfo<P, R>;

/** Makes `Tool.define` for an engine, which is made with the first result. */
export function definer(engine: () => Overspill): Define {
  return (id, init) => ({
    id,
    async init(initCtx) {
      const tool = typeof init === 'function' ? await init(initCtx) : init;
      return {
        ...tool,
        async execute(args, ctx) {
          tool.parameters?.parse(args);
          const result = await tool.execute(args, ctx);
          const call = { tool: id, permission: initCtx?.agent?.permission };
          return (await engine().apply(result, call)) as typeof result;
        },
      };
    },
  });
}
