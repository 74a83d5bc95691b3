/**
 * The truncation service and middleware of the agent-v2 design.
 *
 *     const service = new TruncationService({ global: { maxLines: 2000 }, tools: { bash: { direction: 'tail' } } });
 *     registry.setTruncationMiddleware(createTruncationMiddleware({ service, skipTools: ['web_fetch'] }));
 */

import { Overspill, type Layer, type Options, type Store, type Strategy } from '../index.js';

/** Limits of all tools, of one tool, or of one call. */
export interface TruncationConfig {
  maxLines?: number;
  maxBytes?: number;
  direction?: 'head' | 'tail';
  enabled?: boolean;
}

/** What the service is made of. */
export interface TruncationServiceConfig {
  global?: TruncationConfig & { retentionDays?: number; storageDir?: string };
  tools?: Record<string, TruncationConfig>;
  storage?: Store;
  strategy?: Strategy;
  onEvent?: (event: TruncationEvent) => void;
}

/** What a listener hears. */
export interface TruncationEvent {
  type: 'truncated' | 'skipped' | 'error';
  toolName: string;
  originalSize: number;
  truncatedSize: number;
  timestamp: number;
  outputPath?: string;
  error?: string;
}

/** What is known of a call. */
export interface TruncationContext {
  toolName: string;
  sessionId?: string;
  messageId?: string;
  options?: TruncationConfig & { skip?: boolean };
}

/** What became of an output. */
export type TruncationResult =
  | { content: string; truncated: false }
  | { content: string; truncated: true; outputPath?: string; removedLines?: number; removedBytes?: number };

/** A tool's result, as far as it matters here. */
export interface ToolResult {
  output?: string;
  metadata?: Record<string, unknown> | null;
  [key: string]: unknown;
}

/** Bounds outputs by the agent-v2 profile. */
export class TruncationService {
  #config: TruncationServiceConfig;
  #engine: Overspill;
  #gated = new Map<Gates, Overspill>();

  constructor(config: TruncationServiceConfig = {}) {
    this.#config = config;
    this.#engine = engine(config);
  }

  /** The engine that does the work, behind gates of a middleware's own. */
  overspill(gates: Gates): Overspill {
    const made = this.#gated.get(gates) ?? engine(this.#config, gates);
    this.#gated.set(gates, made);
    return made;
  }

  /** Bounds an output. */
  async output(content: string, context: TruncationContext): Promise<TruncationResult> {
    const outcome = await this.#engine.process(content, call(context));
    if (!outcome.spilled) return { content, truncated: false };
    const { unit, count } = outcome.leftOut;
    return {
      content: outcome.text,
      truncated: true,
      ...(outcome.path !== null && { outputPath: outcome.path }),
      ...(unit === 'lines' ? { removedLines: count } : { removedBytes: count }),
    };
  }

  /** Changes the limits of all tools. */
  updateConfig(global: TruncationConfig): void {
    this.#set({ ...this.#config, global: { ...this.#config.global, ...global } });
  }

  /** Changes the limits of one tool. */
  setToolConfig(tool: string, entry: TruncationConfig): void {
    const before = this.#config.tools?.[tool];
    this.#set({ ...this.#config, tools: { ...this.#config.tools, [tool]: { ...before, ...entry } } });
  }

  #set(config: TruncationServiceConfig): void {
    this.#config = config;
    this.#engine = engine(config);
    this.#gated.clear();
  }

  /** Removes files that have expired, and says how many. */
  async cleanup(): Promise<number> {
    return (await this.#engine.sweep()).removed;
  }
}

/** What keeps a result from being bounded. */
type Gates = Pick<Options, 'skipTools' | 'shouldSpill'>;

function engine(config: TruncationServiceConfig, gates: Gates = {}): Overspill {
  const { global = {}, tools, storage, strategy, onEvent } = config;
  const { storageDir, ...limits } = global;
  const options: Options = { ...limits, ...gates, profile: 'agent-v2', strategy, store: storage ?? storageDir };
  if (tools) options.tools = tools;
  if (onEvent) {
    options.onEvent = (event) => {
      const types = { spilled: 'truncated', skipped: 'skipped', failed: 'error' } as const;
      onEvent({
        type: types[event.type],
        toolName: event.tool ?? '',
        originalSize: event.originalBytes,
        truncatedSize: event.shownBytes,
        timestamp: Date.now(),
        ...(event.path !== null && { outputPath: event.path }),
        ...(event.error !== null && { error: event.error }),
      });
    };
  }
  return new Overspill(options);
}

function call({ toolName, sessionId, options = {} }: TruncationContext): Layer & { tool: string; session?: string } {
  const { skip, ...limits } = options;
  const enabled = skip === undefined ? {} : { enabled: !skip };
  return { tool: toolName, ...limits, ...enabled, ...(sessionId !== undefined && { session: sessionId }) };
}

/** What the middleware is made of. */
export interface TruncationMiddlewareConfig {
  service: TruncationService;
  skipTools?: string[];
  shouldTruncate?: (tool: string, result: ToolResult) => boolean | TruncationConfig;
}

/** Bounds a tool's result. */
export type TruncationMiddleware = (
  toolName: string,
  result: ToolResult,
  context: TruncationContext,
) => Promise<ToolResult>;

/** Makes a middleware for a registry of tools. */
export function createTruncationMiddleware(config: TruncationMiddlewareConfig): TruncationMiddleware {
  const { service, skipTools, shouldTruncate } = config;
  const gates: Gates = { skipTools, shouldSpill: shouldTruncate as Gates['shouldSpill'] };
  return async (toolName, result, context) =>
    (await service.overspill(gates).apply(result, call({ ...context, toolName }))) as ToolResult;
}
