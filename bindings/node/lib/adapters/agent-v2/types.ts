/** The types and constants of the agent-v2 design, by the names of its document. */

import type { Store, Strategy } from '../../index.js';

/** The end of an output that is shown. */
export type TruncationDirection = 'head' | 'tail';

/** The result for an output. `outputPath` is empty if a cut output could not be saved. */
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
  /** The number of days after which a saved output is removed. */
  retentionDays: number;
  /** The directory for saved outputs. The default is `data/truncation` below the working directory. */
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

/** The event of a call, for a listener. */
export interface TruncationEvent {
  type: TruncationEventType;
  toolName: string;
  /** The size of the output in bytes. */
  originalSize: number;
  /** The size of the shown text in bytes. */
  truncatedSize: number;
  outputPath?: string;
  error?: string;
  /** The time in milliseconds since 1970. */
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

/** The options of the service. */
export interface TruncationServiceConfig {
  global?: Partial<TruncationConfig> | undefined;
  tools?: Record<string, Partial<TruncationConfig>> | undefined;
  onEvent?: TruncationEventCallback | undefined;
  /** A storage in the form of the document, or a store of this package. */
  storage?: ITruncationStorage | Store | undefined;
  /** A strategy in the form of the document, or a strategy of this package. */
  strategy?: TruncationStrategy | Strategy | undefined;
  /** `false` lets an output of any size pass if truncation is off or the save failed. */
  ceiling?: boolean | undefined;
  /** The time that a storage or a strategy may take, in milliseconds. The default is 30,000. */
  answerTimeout?: number | undefined;
}

/** A tool's result in the form of a registry. */
export interface AnyToolResult {
  output?: string | undefined;
  metadata?: unknown;
}

/** The fields of a tool's result that this adapter uses. */
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

/** The default settings of some tools. */
export const TOOL_TRUNCATION_CONFIGS: Record<string, Partial<TruncationConfig>> = {
  bash: { direction: 'tail', maxLines: 500 },
  grep: { maxLines: 3000 },
  read: { enabled: false },
  read_file: { enabled: false },
};
