/**
 * The truncation plugin of takumi: an object for the hook on results of tools.
 *
 *     registerPlugin(truncationPlugin);
 */

import { Overspill } from '../index.js';

/** A tool's result, as takumi has it. */
export interface ToolResult {
  llmContent: string | Array<{ type: string; [key: string]: unknown }>;
  returnDisplay?: unknown;
  isError?: boolean;
  metadata?: unknown;
  truncated?: boolean;
  outputPath?: string;
}

/** What the plugin looks at of its surroundings. */
export interface PluginContext {
  config?: { truncation?: boolean | undefined } | undefined;
}

/** What a hook gets along with the result. */
export interface HookOptions {
  toolUse?: { name?: string; callId?: string };
  sessionId?: string;
}

/** Makes the plugin, with an engine of your own. */
export function createTruncationPlugin(overspill?: Overspill): {
  name: 'truncation';
  enforce: 'post';
  toolResult(this: PluginContext | void, result: ToolResult, options?: HookOptions): Promise<ToolResult>;
} {
  let engine = overspill;
  return {
    name: 'truncation',
    enforce: 'post',
    async toolResult(result, options = {}) {
      engine ??= new Overspill({ profile: 'takumi' });
      const enabled = this?.config?.truncation === false ? { enabled: false } : {};
      const { toolUse, sessionId } = options;
      const call = { tool: toolUse?.name, callId: toolUse?.callId, session: sessionId, ...enabled };
      return (await engine.apply(result, call)) as ToolResult;
    },
  };
}

/** Saves in takumi's own directory. */
export const truncationPlugin: ReturnType<typeof createTruncationPlugin> = createTruncationPlugin();
