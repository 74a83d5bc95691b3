/** opencode's `Tool.define`: a tool whose result is shortened unless the tool did so itself. */

import type { Call, Overspill } from '../../index.js';
import { said } from '../../errors.js';
import { applyFields } from '../fields.js';

/** The part of an agent with its permissions. */
export interface Agent {
  permission?: Array<{ permission: string; pattern: string; action: 'allow' | 'ask' | 'deny' }> | undefined;
}

/** The result of a tool. `metadata.truncated` tells that the tool has shortened its output itself. */
export interface ToolOutput {
  title: string;
  output: string;
  // biome-ignore lint: metadata of any tool
  metadata: Record<string, any>;
}

/** Checks arguments and throws if they are invalid, like a zod schema. */
export interface Parameters {
  // biome-ignore lint: the type of zod
  parse(args: unknown): any;
}

/** The context of a call that a tool gets. */
export interface ToolContext {
  extra?: { agent?: Agent; [key: string]: unknown } | undefined;
  // biome-ignore lint: the host decides about further fields
  [key: string]: any;
}

/** The context that a tool gets when it is set up. */
export interface InitContext {
  agent?: Agent | undefined;
}

/** The definition of a tool. */
export interface ToolDefinition<P extends Parameters = Parameters, R extends ToolOutput = ToolOutput> {
  description?: string;
  parameters?: P;
  execute(args: ReturnType<P['parse']>, ctx: ToolContext): Promise<R>;
}

/** A tool in the form in which opencode registers it. */
export interface ToolInfo<P extends Parameters = Parameters, R extends ToolOutput = ToolOutput> {
  id: string;
  init(ctx?: InitContext): Promise<ToolDefinition<P, R>>;
}

export type Define = <P extends Parameters, R extends ToolOutput>(
  id: string,
  init: ToolDefinition<P, R> | ((ctx?: InitContext) => ToolDefinition<P, R> | Promise<ToolDefinition<P, R>>),
) => ToolInfo<P, R>;

/** Returns the permissions of an agent. Invalid ones are dropped with a warning. */
export function permissionOf(overspill: Overspill, agent: Agent | undefined): Call['permission'] {
  const permission = agent?.permission ?? undefined;
  if (permission === undefined) return undefined;
  try {
    overspill.check({ permission });
    return permission;
  } catch (error) {
    process.emitWarning(`the permissions of the agent do not apply: ${said(error)}`, 'OverspillWarning');
    return undefined;
  }
}

/** Makes `Tool.define` for an engine, which is created for the first result. */
export function definer(engine: () => Overspill): Define {
  return (id, init) => ({
    id,
    async init(initCtx) {
      const tool = typeof init === 'function' ? await init(initCtx) : init;
      const execute: typeof tool.execute = async (args, ctx) => {
        tool.parameters?.parse(args);
        const result = await tool.execute(args, ctx);
        const permission = permissionOf(engine(), initCtx?.agent);
        return applyFields(engine(), result, { tool: id, permission });
      };
      // A tool may be an instance of a class.
      const copy = Object.create(Object.getPrototypeOf(tool) as object) as typeof tool;
      return Object.assign(copy, tool, { execute });
    },
  });
}
