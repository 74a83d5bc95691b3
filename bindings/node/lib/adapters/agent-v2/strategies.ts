/** Strategies in the form of the document. */

import { Overspill, type Call, type Choice, type Room, type Strategy } from '../../index.js';
import type { TruncationConfig, TruncationStrategy } from './types.js';

/** A base class with helpers. `needsTruncation` checks both limits unless a subclass overrides it. */
export abstract class BaseTruncationStrategy implements TruncationStrategy {
  abstract readonly name: string;

  needsTruncation(content: string, config: TruncationConfig): boolean {
    return this.countLines(content) > config.maxLines || this.countBytes(content) > config.maxBytes;
  }

  abstract truncate(content: string, config: TruncationConfig): ReturnType<TruncationStrategy['truncate']>;

  protected countLines(content: string): number {
    return content.split('\n').length;
  }

  protected countBytes(content: string): number {
    return Buffer.byteLength(content, 'utf-8');
  }

  protected truncateHead(content: string, maxLines: number): string[] {
    return content.split('\n').slice(0, maxLines);
  }

  protected truncateTail(content: string, maxLines: number): string[] {
    // slice(-0) would return the whole array.
    return maxLines > 0 ? content.split('\n').slice(-maxLines) : [];
  }
}

/** Shows whole lines from one end, up to either limit. The engine does the work. */
export class DefaultTruncationStrategy extends BaseTruncationStrategy {
  readonly name = 'default';

  truncate(content: string, config: TruncationConfig): ReturnType<TruncationStrategy['truncate']> {
    const { maxLines, maxBytes, direction } = config;
    const overspill = new Overspill({ profile: 'agent-v2', store: 'memory', maxLines, maxBytes, direction });
    const outcome = overspill.processSync(content);
    if (!outcome.spilled) return { content, removedLines: 0 };
    const { unit, count } = outcome.leftOut;
    return { content: outcome.preview, ...(unit === 'lines' ? { removedLines: count } : { removedBytes: count }) };
  }
}

/** Tells whether an object is a strategy in the form of the document, and not one of this package. */
export function isOfDocument(strategy: TruncationStrategy | Strategy): strategy is TruncationStrategy {
  return typeof (strategy as Partial<TruncationStrategy>).truncate === 'function';
}

/** Converts a strategy of the document into one of this package. `configOf` returns the settings of a call. */
export function asStrategy(
  strategy: TruncationStrategy,
  configOf: (call: Call | undefined) => TruncationConfig,
): Strategy {
  return async (output: Buffer, room: Room, call?: Call): Promise<Choice> => {
    const set = configOf(call);
    // The engine passes the output of a tool that is switched off.
    if (!set.enabled) return true;
    const content = output.toString('utf8');
    const config: TruncationConfig = {
      ...set,
      maxLines: room.maxLines ?? Infinity,
      maxBytes: room.maxBytes ?? Infinity,
      direction: room.keep === 'tail' ? 'tail' : 'head',
    };
    const needs: unknown = await strategy.needsTruncation(content, config);
    if (typeof needs !== 'boolean') throw new TypeError(`needsTruncation returned ${typeof needs}, not a boolean`);
    if (!needs) return true;
    const cut = (await strategy.truncate(content, config)) as Partial<ReturnType<TruncationStrategy['truncate']>> | undefined;
    if (typeof cut?.content !== 'string') throw new TypeError('truncate returned no object with a text `content`');
    const { removedLines = 0, removedBytes } = cut;
    return { text: cut.content, ...(removedBytes ? { leftOutBytes: removedBytes } : { leftOutLines: removedLines }) };
  };
}
