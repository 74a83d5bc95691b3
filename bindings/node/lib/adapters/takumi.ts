/**
 * The truncation plugin of takumi: an object for the hook on tool results.
 *
 *     registerPlugin(truncationPlugin);
 */

import { join } from 'node:path';

import { Overspill, type Options } from '../index.js';
import { applyFields } from './fields.js';

/** A tool's result in the form of takumi. */
export interface ToolResult {
  llmContent: string | readonly object[];
  returnDisplay?: unknown;
  isError?: boolean | undefined;
  metadata?: unknown;
  /** Whether the output was shortened. The plugin does not change the result of a tool that sets this flag. */
  truncated?: boolean | undefined;
  /** The path of the full output. */
  outputPath?: string | undefined;
}

/** The part of takumi's context that the plugin reads. */
export interface PluginContext {
  config?: { truncation?: boolean | undefined } | undefined;
  /** The directories of takumi. Full outputs are saved in `tool-output` below this one. */
  paths?: { globalConfigDir?: string | undefined } | undefined;
}

/** The arguments of a hook besides the result. */
export interface HookOptions {
  toolUse?: { name?: string | undefined; callId?: string | undefined } | undefined;
  name?: string | undefined;
  callId?: string | undefined;
  sessionId?: string | undefined;
}

/** The plugin. */
export interface TruncationPlugin {
  name: 'truncation';
  enforce: 'post';
  /** `this` is a `PluginContext` when takumi calls the hook. */
  toolResult<R extends ToolResult>(this: unknown, result: R, options?: HookOptions): Promise<R & ToolResult>;
}

/** Options of the plugin. */
export interface TruncationPluginOptions extends Pick<Options, 'maxLines' | 'maxBytes' | 'direction' | 'durability' | 'ceiling'> {
  /** The directory for full outputs. The default is `tool-output` in takumi's own directory, else in `~/.takumi`. */
  directory?: string | undefined;
  /** Gets the reason why a full output could not be saved. The default is a warning of the process. */
  log?: ((message: string) => void) | undefined;
}

/** Makes the plugin with options, or with an engine of your own. */
export function createTruncationPlugin(options: TruncationPluginOptions | Overspill = {}): TruncationPlugin {
  // An invalid option throws here, and not with the first result of a tool.
  if (!(options instanceof Overspill)) made({ ...options, directory: 'memory' });
  // The engines by directory. Each is created for its first result.
  const engines = new Map<string | undefined, Overspill>();
  const engineFor = (context: PluginContext | undefined): Overspill => {
    if (options instanceof Overspill) return options;
    const global = text(context?.paths?.globalConfigDir) || undefined;
    const directory = options.directory ?? (global === undefined ? undefined : join(global, 'tool-output'));
    const engine = engines.get(directory) ?? made({ ...options, directory });
    engines.set(directory, engine);
    return engine;
  };
  return {
    name: 'truncation',
    enforce: 'post',
    async toolResult(result, hook) {
      const context = this as PluginContext | undefined;
      const { toolUse, name, callId, sessionId } = hook ?? {};
      const call = {
        tool: text(toolUse?.name ?? name),
        callId: text(toolUse?.callId ?? callId),
        session: text(sessionId),
        ...(context?.config?.truncation === false && { enabled: false }),
      };
      return applyFields(engineFor(context), result, call);
    },
  };
}

function made(options: TruncationPluginOptions): Overspill {
  const { directory, log = (message) => process.emitWarning(message, 'OverspillWarning'), ...limits } = options;
  return new Overspill({
    ...limits,
    profile: 'takumi',
    store: directory,
    onEvent: ({ type, tool, error }) => {
      if (type === 'failed') log(`the full output of ${tool ?? 'a tool'} could not be saved: ${error}`);
    },
  });
}

function text(name: unknown): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

/** The plugin that saves in takumi's own directory. */
export const truncationPlugin: TruncationPlugin = createTruncationPlugin();
