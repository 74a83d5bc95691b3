/** The types and constants of the agent-v2 design, by the names of its document. */

import type { Store, Strategy } from '../../index.js';

/** Which end of an output is shown. */
export type TruncationDirection = 'head' | 'tail';

/** What became of an output. `outputPath` is empty if a cut output could not be saved. */
export type TruncationResult =
  | { content: string; truncated: false }
  | {
      content: string;
      truncated: true;
      outputPath: string;
      removedLines?: number | undefined;
      removedBytes?: number | undefined;
    };

/** All settings. */
export interface TruncationConfig {
  maxLines: number;
  maxBytes: number;
  direction: TruncationDirection;
  enabled: boolean;
  /** Days after which a saved output is removed. */
  retentionDays: number;
  /** The directory for saved outputs; `data/truncation` below the working directory by default. */
  storageDir?: string | undefined;
}

/** Settings of one call. */
export interface TruncationOptions {
  maxLines?: number | undefined;
  maxBytes?: number | undefined;
  direction?: TruncationDirection | undefined;
  /** `true` passes the output unchanged; `false` shortens it even if the tool is switched off. */
  skip?: boolean | undefined;
}

/** A call. */
export interface TruncationContext {
  toolName: string;
  sessionId?: string | undefined;
  messageId?: string | undefined;
  options?: TruncationOptions | undefined;
}

/** Cuts an output. */
export interface TruncationStrategy {
  readonly name: string;
  needsTruncation(content: string, config: TruncationConfig): boolean;
  truncate(
    content: string,
    config: TruncationConfig,
  ): { content: string; removedLines?: number | undefined; removedBytes?: number | undefined };
}

export type TruncationEventType = 'truncated' | 'skipped' | 'error';

/** What a listener hears of each call. */
export interface TruncationEvent {
  type: TruncationEventType;
  toolName: string;
  /** In bytes. */
  originalSize: number;
  /** In bytes. */
  truncatedSize: number;
  outputPath?: string;
  error?: string;
  /** Milliseconds since 1970. */
  timestamp: number;
}

export type TruncationEventCallback = (event: TruncationEvent) => void;

/** Saves outputs. */
export interface ITruncationStorage {
  save(content: string, context: TruncationContext): Promise<string>;
  read(path: string): Promise<string>;
  cleanup(retentionDays: number): Promise<number>;
  getStorageDir(): string;
}

/** What the service is made of. */
export interface TruncationServiceConfig {
  global?: Partial<TruncationConfig> | undefined;
  tools?: Record<string, Partial<TruncationConfig>> | undefined;
  onEvent?: TruncationEventCallback | undefined;
  /** A storage of the document's form, or a store of this package. */
  storage?: ITruncationStorage | Store | undefined;
  /** A strategy of the document's form, or a strategy of this package. */
  strategy?: TruncationStrategy | Strategy | undefined;
  /** `false` lets an output of any size pass where truncation is off or saving failed. */
  ceiling?: boolean | undefined;
  /** How long a storage or a strategy may take, in milliseconds; 30,000 by default. */
  answerTimeout?: number | undefined;
}

/** A tool's result, as a registry has it. */
export interface AnyToolResult {
  output?: string | undefined;
  metadata?: unknown;
}

/** A tool's result, as far as it matters here. */
export interface ToolResult {
  output?: string | undefined;
  // biome-ignore lint: metadata of any tool
  metadata?: Record<string, any> | null | undefined;
}

/** The default settings. */
export const DEFAULT_TRUNCATION_CONFIG: TruncationConfig = {
  maxLines: 2000,
  maxBytes: 50 * 1024,
  direction: 'head',
  enabled: true,
  retentionDays: 7,
};

/** The settings that some tools begin with. */
export const TOOL_TRUNCATION_CONFIGS: Record<string, Partial<TruncationConfig>> = {
  bash: { direction: 'tail', maxLines: 500 },
  grep: { maxLines: 3000 },
  read: { enabled: false },
  read_file: { enabled: false },
};
