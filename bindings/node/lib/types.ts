/** What options, stores and strategies look like, and what questions are answered with. */

import type { Spilled } from '../native/index.js';
import type { Whole } from './whole.js';

/** Text or bytes. */
export type Output = string | Uint8Array;

/** What became of an output: shown as it is, or too large. */
export type Outcome = Whole | Spilled;

/** A limit: so many, or any number. */
export type Most = number | 'none';

/** Which part of a long output is shown. */
export type Keep = 'head' | 'tail' | 'ends' | 'signal' | 'structure' | 'auto';

/** The kind of output. `auto` looks at the text. */
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

/** Settings of all outputs, of one tool's, or of one call's. */
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
  /** `false` lets an output of any size pass where shortening is off or saving failed. Else 512,000 bytes and 20,000 lines are the most. */
  ceiling?: boolean | undefined;
}

/** What a call says of itself, and what it asks for. */
export interface Call extends Layer {
  tool?: string | undefined;
  callId?: string | undefined;
  session?: string | undefined;
  command?: string | undefined;
  directory?: string | undefined;
  preset?: 'code' | 'log' | 'error' | undefined;
  /** Settings that the tool declares for itself; the user's go before them. */
  declared?: Layer | undefined;
  /** The caller can hand work to a sub-agent. */
  delegate?: boolean | undefined;
  /** The caller's permissions, which say whether it can; the last rule that matches decides. */
  permission?: Array<{ permission: string; pattern: string; action: string }> | undefined;
  exitCode?: number | undefined;
}

/** What an `Overspill` is made of. */
export interface Options extends Layer {
  profile?: 'overspill' | 'klaude' | 'unified' | 'takumi' | 'agent-v2' | 'opencode' | undefined;
  /** A directory, `"memory"`, `false` for none, or an object of your own. */
  store?: string | false | Store | undefined;
  tools?: Record<string, Layer | boolean> | undefined;
  skipTools?: string[] | undefined;
  trustedTools?: string[] | undefined;
  /** The root of the project, for a profile that saves below it; else it is found from the working directory. */
  projectRoot?: string | undefined;
  retentionDays?: number | undefined;
  /** Whether a saved output outlasts a power loss. */
  durability?: 'full' | 'none' | undefined;
  /** Whether secrets are masked: in what is saved, or in what is shown, too. */
  redact?: 'off' | 'store' | 'all' | undefined;
  /** What else is a secret: a regular expression. */
  redactPattern?: string | undefined;
  /** What the reader of a preview can do: run our program, call these tools, open files. */
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
  /** How long a store or a strategy of yours may take, in milliseconds. The default is 30,000; 0 waits forever. */
  answerTimeout?: number | undefined;
  onEvent?: ((event: OverspillEvent) => void) | undefined;
  /** Decides for each result that `apply` gets: no, yes, or with these settings. */
  shouldSpill?: ((tool: string, result: unknown, call?: Call) => boolean | Layer) | undefined;
}

/** What `onEvent` hears of each call, once. */
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

/** What a strategy knows of the limits. */
export interface Room {
  maxLines: number | null;
  maxBytes: number | null;
  maxChars: number | null;
  maxTokens: number | null;
  keep: Keep;
}

/**
 * What a strategy answers: null leaves it to the settings, true shows all, a text is shown instead,
 * a list holds what is shown as `[from, to]` in bytes.
 */
export type Choice =
  | null
  | true
  | string
  | Array<[number, number]>
  | { text: string; leftOutLines?: number; leftOutBytes?: number };

/** Chooses what is shown of an output. */
export type Strategy =
  | ((output: Buffer, room: Room, call?: Call) => Choice | Promise<Choice>)
  | { choose(output: Buffer, room: Room, call?: Call): Choice | Promise<Choice> };

/** Keeps outputs. Only `save` is needed; without the others nothing can be read or swept. */
export interface Store {
  /** Keeps an output; answers with its path or address, or with an id as well. */
  save(data: Buffer, call: Call): Awaitable<string | { id: string; path?: string }>;
  read?(id: string, from: number, to: number): Awaitable<Uint8Array>;
  /** Says how large and how old an output is, `used` in seconds since 1970; null if it is not there. */
  info?(id: string): Awaitable<{ bytes: number; used?: number } | null>;
  list?(): Awaitable<Array<{ id: string; bytes: number; used?: number }>>;
  delete?(id: string): Awaitable<void>;
}

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Which part of a saved output is wanted. */
export interface ReadOptions {
  lines?: [number, number | null];
  bytes?: [number, number | null];
  tail?: number;
  json?: string;
  /** With `json`: the number of the value to begin with, or that and a byte of the value. */
  fromValue?: number | [number, number];
  maxLines?: number;
  maxBytes?: number;
}

/** A part of a saved output, as much as there is room for. */
export interface Page {
  text: string;
  /** Which part of the output the text is, and what is wrong with it. */
  what: string;
  bytes?: [number, number];
  lines?: [number, number] | null;
  total?: number;
  /** With `json`: how many values are shown. */
  values?: number;
  /** With `json`: there are more values. */
  more?: boolean;
  /** With `json`: the place where the output is not JSON. The values after it are missing. */
  notJson?: string;
  /** With `json`: lines that were not kept (`store.max_output`), and so not read. */
  notKept?: { lines: [number, number]; bytes: number };
  /** Options of `read` for the next page. */
  next?: ReadOptions | null;
}

/** How a saved output is searched. */
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

/** What a search has found, as ripgrep shows it and line by line. */
export interface Found {
  text: string;
  /** Where the search goes on, and which lines were not searched. Empty if all matches are shown. */
  what: string;
  /** A line with `again` matches once more, in these bytes of the output, which are not shown. */
  lines: Array<{ number: number; matches: boolean; text: string; again?: [number, number] }>;
  matches: number;
  nextLine: number | null;
  /** Options of `grep` for the next page. */
  next: GrepOptions | null;
  /** Lines that were not kept (`store.max_output`), and so not searched. */
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

/** What a sweep has done. */
export interface Swept {
  removed: number;
  bytes: number;
  kept: number;
  failed: number;
}
