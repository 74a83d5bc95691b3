/** The types of options and answers, and the interfaces for stores and strategies. */

import type { Spilled } from '../native/index.js';
import type { Whole } from './whole.js';

/** Text or bytes. */
export type Output = string | Uint8Array;

/** The result of shortening an output: unchanged, or too large. */
export type Outcome = Whole | Spilled;

/** A limit: a number, or no limit. */
export type Most = number | 'none';

/** The part of a long output that is shown. */
export type Keep = 'head' | 'tail' | 'ends' | 'signal' | 'structure' | 'auto';

/** The kind of output. `auto` detects it by the text. */
export type Kind =
  | 'auto'
  | 'failing-log'
  | 'test-run'
  | 'source'
  | 'listing'
  | 'search'
  | 'prose'
  | 'table'
  | 'columns'
  | 'diff'
  | 'markup'
  | 'tap'
  | 'json'
  | 'json-lines'
  | 'long-lines'
  | 'binary'
  | 'plain';

/** Settings of all outputs, of one tool, or of one call. */
export interface Layer {
  maxLines?: Most | undefined;
  maxBytes?: Most | undefined;
  maxChars?: Most | undefined;
  maxTokens?: Most | undefined;
  keep?: Keep | undefined;
  direction?: Keep | undefined;
  fill?: boolean | undefined;
  kind?: Kind | undefined;
  enabled?: boolean | undefined;
  /**
   * `false` lets an output of any size pass if shortening is off or the save failed. Otherwise outputs over 512,000
   * bytes or 20,000 lines are shortened.
   */
  ceiling?: boolean | undefined;
}

/** The details and options of a call. */
export interface Call extends Layer {
  tool?: string | undefined;
  callId?: string | undefined;
  session?: string | undefined;
  command?: string | undefined;
  directory?: string | undefined;
  preset?: 'code' | 'log' | 'error' | undefined;
  /** Settings that the tool itself declares. The user's settings override them. */
  declared?: Layer | undefined;
  /** The caller can hand work to a sub-agent. */
  delegate?: boolean | undefined;
  /** The caller's permissions, which can forbid sub-agents. The last rule that matches decides. */
  permission?: Array<{ permission: string; pattern: string; action: string }> | undefined;
  exitCode?: number | undefined;
}

/** The options of an `Overspill`. */
export interface Options extends Layer {
  profile?: 'overspill' | 'klaude' | 'unified' | 'takumi' | 'agent-v2' | 'opencode' | undefined;
  /** A directory, `"memory"`, `false` for no store, or an object of your own. */
  store?: string | false | Store | undefined;
  tools?: Record<string, Layer | boolean> | undefined;
  skipTools?: string[] | undefined;
  trustedTools?: string[] | undefined;
  /** The root of the project, for a profile that saves below it. Default: the project of the working directory. */
  projectRoot?: string | undefined;
  retentionDays?: number | undefined;
  /** Whether a saved output survives a power loss. */
  durability?: 'full' | 'none' | undefined;
  /** Whether secrets are masked: in saved outputs, or also in shown text. */
  redact?: 'off' | 'store' | 'all' | undefined;
  /** A regular expression for further secrets. */
  redactPattern?: string | undefined;
  /** The abilities of the reader of a preview: run our program, call these tools, open files. */
  program?: string | undefined;
  readTool?: string | undefined;
  grepTool?: string | undefined;
  delegateTool?: string | undefined;
  files?: boolean | undefined;
  maxLength?: number | undefined;
  headChars?: number | undefined;
  tailChars?: number | undefined;
  simple?: boolean | undefined;
  strategy?: Strategy | undefined;
  /** The time that a store or a strategy of yours may take, in milliseconds. The default is 30,000; 0 waits forever. */
  answerTimeout?: number | undefined;
  onEvent?: ((event: OverspillEvent) => void) | undefined;
  /** Decides for each result that `apply` gets: no, yes, or with these settings. */
  shouldSpill?: ((tool: string, result: unknown, call?: Call) => boolean | Layer) | undefined;
}

/** The event that `onEvent` gets, once for each call. */
export interface OverspillEvent {
  type: 'skipped' | 'spilled' | 'failed';
  tool: string | null;
  callId: string | null;
  session: string | null;
  originalBytes: number;
  shownBytes: number;
  path: string | null;
  error: string | null;
}

/** The limits that a strategy gets. */
export interface Room {
  maxLines: number | null;
  maxBytes: number | null;
  maxChars: number | null;
  maxTokens: number | null;
  keep: Keep;
}

/**
 * The answer of a strategy. Null leaves the choice to the settings, and true shows the whole output. A text
 * replaces the shown parts. A list has the shown parts as `[from, to]` in bytes.
 */
export type Choice =
  | null
  | true
  | string
  | Array<[number, number]>
  | { text: string; leftOutLines?: number; leftOutBytes?: number };

/** Chooses the parts of an output to show. */
export type Strategy =
  | ((output: Buffer, room: Room, call?: Call) => Choice | Promise<Choice>)
  | { choose(output: Buffer, room: Room, call?: Call): Choice | Promise<Choice> };

/** Saves outputs. Only `save` is required. Without the other methods, outputs cannot be read or swept. */
export interface Store {
  /** Saves an output. Returns its path or address, or these with an id. */
  save(data: Buffer, call: Call): Awaitable<string | { id: string; path?: string }>;
  read?(id: string, from: number, to: number): Awaitable<Uint8Array>;
  /** Returns the size and the time of last use of an output, `used` in seconds since 1970. Null if it is missing. */
  info?(id: string): Awaitable<{ bytes: number; used?: number } | null>;
  list?(): Awaitable<Array<{ id: string; bytes: number; used?: number }>>;
  delete?(id: string): Awaitable<void>;
}

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** The part of a saved output to read. */
export interface ReadOptions {
  lines?: [number, number | null];
  bytes?: [number, number | null];
  tail?: number;
  json?: string;
  /** With `json`: the number of the first value, or that number and an offset in the value. */
  fromValue?: number | [number, number];
  maxLines?: number;
  maxBytes?: number;
}

/** A part of a saved output, up to the limits. */
export interface Page {
  text: string;
  /** A sentence that names the part of the output, with warnings. */
  what: string;
  bytes?: [number, number];
  lines?: [number, number] | null;
  total?: number;
  /** With `json`: the number of shown values. */
  values?: number;
  /** With `json`: more values follow. */
  more?: boolean;
  /** With `json`: the place where the output is not JSON. The values after it are missing. */
  notJson?: string;
  /** With `json`: lines that were not saved (`store.max_output`), and so not read. */
  notKept?: { lines: [number, number]; bytes: number };
  /** Options of `read` for the next page. */
  next?: ReadOptions | null;
}

/** The options of a search. */
export interface GrepOptions {
  ignoreCase?: boolean;
  fixed?: boolean;
  word?: boolean;
  invert?: boolean;
  before?: number;
  after?: number;
  context?: number;
  maxCount?: number;
  fromLine?: number;
  maxLines?: number;
  maxBytes?: number;
}

/** The result of a search, in the format of ripgrep and line by line. */
export interface Found {
  text: string;
  /** A sentence about the next page and the lines that were not searched. Empty if all matches are shown. */
  what: string;
  /** A line with `again` has another match in these bytes of the output, which are not shown. */
  lines: Array<{ number: number; matches: boolean; text: string; again?: [number, number] }>;
  matches: number;
  nextLine: number | null;
  /** Options of `grep` for the next page. */
  next: GrepOptions | null;
  /** Lines that were not saved (`store.max_output`), and so not searched. */
  notSearched?: { lines: [number, number]; bytes: number };
}

/** A saved output. */
export interface Entry {
  id: string;
  bytes: number;
  lines: number | null;
  used: number;
  pinned: boolean;
  tool: string | null;
  callId: string | null;
  session: string | null;
  command: string | null;
  exitCode: number | null;
}

/** The result of a sweep. */
export interface Swept {
  removed: number;
  bytes: number;
  kept: number;
  failed: number;
}
