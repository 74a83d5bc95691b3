/** The truncation service of the agent-v2 design. */

import { Misuse, Overspill, StoreError, type Call, type Layer, type Options, type OverspillEvent } from '../../index.js';
import { ANSWER_TIMEOUT } from '../../own.js';
import * as storages from './storage.js';
import * as strategies from './strategies.js';
import * as t from './types.js';

const CONTEXT = Symbol('context');
/** A call with its context. Copies keep the context, and JSON does not show it. */
type ContextCall = Call & { [CONTEXT]?: t.TruncationContext };

/** Records the options that a predicate has chosen for a call. */
export function decided(call: ContextCall | undefined, options: t.TruncationOptions): void {
  const context = call?.[CONTEXT];
  if (call && context) call[CONTEXT] = { ...context, options };
}

/** The gates that pass a result unchanged. */
export type Gates = Pick<Options, 'skipTools' | 'shouldSpill'>;

/** Shortens outputs as the document describes it, and saves the whole output. */
export class TruncationService {
  #config: t.TruncationServiceConfig;
  #engine: Overspill;
  #gated = new Map<Gates, Overspill>();

  constructor(config: t.TruncationServiceConfig = {}) {
    this.#config = config;
    this.#engine = this.#made();
  }

  /** Returns the engine that does the work, with the gates of a middleware. */
  overspill(gates: Gates): Overspill {
    const made = this.#gated.get(gates) ?? this.#made(gates);
    this.#gated.set(gates, made);
    return made;
  }

  /** Shortens an output. */
  async output(content: string, context: t.TruncationContext): Promise<t.TruncationResult> {
    const outcome = await this.#engine.process(content, this.call(context, this.#engine));
    if (!outcome.spilled) return { content, truncated: false };
    const { unit, count } = outcome.leftOut;
    return {
      content: outcome.text,
      truncated: true,
      outputPath: outcome.path ?? '',
      ...(unit === 'lines' ? { removedLines: count } : { removedBytes: count }),
    };
  }

  /** Converts a context into a call of the engine. Invalid options are dropped with a warning. */
  call(context: t.TruncationContext, engine: Overspill): ContextCall {
    const { toolName, sessionId, options } = context;
    const names = { tool: text(toolName), session: text(sessionId) };
    let call: ContextCall = { ...names, ...settings(options) };
    try {
      engine.check(call);
    } catch (error) {
      if (!(error instanceof Misuse) && !(error instanceof TypeError)) throw error;
      process.emitWarning(`the options of ${toolName} do not apply: ${error.message}`, 'OverspillWarning');
      call = names;
    }
    return { ...call, [CONTEXT]: context };
  }

  /** Reads a saved output by the path in its result. */
  async read(path: string): Promise<string> {
    const { storage } = this.#config;
    if (storage && storages.isOfDocument(storage)) return storages.readFrom(storage, path, this.#timeout());
    if (storage) throw new StoreError('read: a store of this package is read by the id of an output');
    return new storages.TruncationStorage(this.#engine.directory ?? undefined).read(path);
  }

  /** Removes expired outputs, and returns their number. */
  async cleanup(): Promise<number> {
    const { storage, global } = this.#config;
    if (storage && storages.isOfDocument(storage)) {
      const days = global?.retentionDays ?? t.DEFAULT_TRUNCATION_CONFIG.retentionDays;
      return storages.cleaned(storage, days, this.#timeout());
    }
    return (await this.#engine.sweep()).removed;
  }

  /** Returns the settings of all tools. */
  getConfig(): t.TruncationConfig {
    return { ...t.DEFAULT_TRUNCATION_CONFIG, ...this.#config.global };
  }

  /** Changes some settings of all tools. The others stay. */
  updateConfig(config: Partial<t.TruncationConfig>): void {
    this.#set({ ...this.#config, global: { ...this.#config.global, ...config } });
  }

  /** Replaces the settings of one tool. */
  setToolConfig(toolName: string, config: Partial<t.TruncationConfig>): void {
    this.#set({ ...this.#config, tools: { ...this.#config.tools, [toolName]: config } });
  }

  #timeout(): number {
    return this.#config.answerTimeout ?? ANSWER_TIMEOUT;
  }

  #set(config: t.TruncationServiceConfig): void {
    const before = this.#config;
    this.#config = config;
    try {
      this.#engine = this.#made();
    } catch (error) {
      this.#config = before;
      throw error;
    }
    this.#gated.clear();
  }

  #made(gates: Gates = {}): Overspill {
    const { global = {}, tools = {}, storage, strategy, onEvent, answerTimeout, ceiling } = this.#config;
    const { storageDir, retentionDays, ...limits } = global;
    const entries = Object.entries(tools).map(([tool, entry]) => [tool, ofTool(entry)]);
    const options: Options = {
      ...limits,
      ...gates,
      profile: 'agent-v2',
      tools: Object.fromEntries(entries) as Record<string, Layer>,
      retentionDays: retentionDays === undefined ? undefined : storages.wholeDays(retentionDays),
      answerTimeout,
      ceiling,
      store: storageDir,
    };
    if (storage?.constructor === storages.TruncationStorage) {
      options.store = (storage as storages.TruncationStorage).getStorageDir();
    } else if (storage && storages.isOfDocument(storage)) {
      options.store = storages.asStore(storage, (call: ContextCall) => call[CONTEXT] ?? { toolName: call.tool ?? '' });
    } else if (storage) {
      options.store = storage;
    }
    // The engine has the default strategy.
    if (strategy && strategy.constructor !== strategies.DefaultTruncationStrategy) {
      options.strategy = strategies.isOfDocument(strategy)
        ? strategies.asStrategy(strategy, (call) => this.#configOf(call))
        : strategy;
    }
    if (onEvent) options.onEvent = (event) => onEvent(ofDocument(event));
    return new Overspill(options);
  }

  /** Returns the settings of a call: the document's rule for `enabled`. */
  #configOf(call: Call | undefined): t.TruncationConfig {
    const { global, tools } = this.#config;
    const name = call?.tool ?? '';
    const table = global?.enabled === undefined ? t.TOOL_TRUNCATION_CONFIGS[name] : undefined;
    const entry = tools?.[name] ?? table;
    const config = { ...t.DEFAULT_TRUNCATION_CONFIG, ...global, ...entry };
    return { ...config, enabled: call?.enabled ?? config.enabled };
  }
}

/** Converts options of the document into settings of this package. */
export function settings(options: t.TruncationOptions | undefined): Layer {
  if (typeof options !== 'object' || options === null) return {};
  const { skip, ...limits } = options;
  return { ...limits, ...(typeof skip === 'boolean' && { enabled: !skip }) };
}

function ofTool(entry: Partial<t.TruncationConfig>): Layer {
  const { retentionDays: _, storageDir: __, ...limits } = entry;
  return limits;
}

function text(name: unknown): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

const TYPES = { spilled: 'truncated', skipped: 'skipped', failed: 'error' } as const;

function ofDocument(event: OverspillEvent): t.TruncationEvent {
  return {
    type: TYPES[event.type],
    toolName: event.tool ?? '',
    originalSize: event.originalBytes,
    truncatedSize: event.shownBytes,
    timestamp: Date.now(),
    ...(event.path !== null && { outputPath: event.path }),
    ...(event.error !== null && { error: event.error }),
  };
}
