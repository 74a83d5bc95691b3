/**
 * Vercel AI SDK: shortens the results of tools.
 *
 *     const result = await generateText({ model, tools: shortenedTools(tools, new Overspill()), prompt });
 */

import { Overspill } from '../index.js';

// biome-ignore lint: a tool of any kind
type Execute = (...args: any[]) => any;

/** Returns the tools with shortened results. Tools that run elsewhere stay unchanged. */
export function shortenedTools<T extends Record<string, object>>(tools: T, overspill = new Overspill()): T {
  const shortened = Object.entries(tools).map(([name, tool]) => [name, shortenedTool(name, tool, overspill)]);
  return Object.fromEntries(shortened) as T;
}

/** Returns one tool with shortened results. */
export function shortenedTool<T extends object>(name: string, tool: T, overspill = new Overspill()): T {
  const { execute } = tool as { execute?: Execute };
  if (typeof execute !== 'function') return tool;
  const wrapped = (input: unknown, options?: { toolCallId?: string }): unknown => {
    const bound = async (result: unknown): Promise<unknown> => {
      const call = { tool: name, callId: options?.toolCallId };
      if (typeof result === 'string') return overspill.apply(result, call);
      // The model gets other values as JSON.
      const json = JSON.stringify(result);
      if (json === undefined) return result;
      const outcome = await overspill.process(json, call);
      return outcome.spilled ? outcome.text : result;
    };
    const result: unknown = Reflect.apply(execute, tool, [input, options]);
    return isStream(result) ? each(result, bound) : Promise.resolve(result).then(bound);
  };
  return { ...tool, execute: wrapped };
}

function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

async function* each(stream: AsyncIterable<unknown>, bound: (one: unknown) => Promise<unknown>): AsyncGenerator {
  for await (const one of stream) yield await bound(one);
}
