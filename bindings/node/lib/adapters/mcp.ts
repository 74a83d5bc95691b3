/**
 * MCP TypeScript SDK: shortens the results of the tools of a server.
 *
 *     server.registerTool('read_log', config, shortened('read_log', async ({ path }) => …));
 */

import { Overspill } from '../index.js';

// biome-ignore lint: a handler of any kind
type Handler = (...args: any[]) => any;

/**
 * Returns a handler whose text is shortened. Structured content passes unchanged, because the server checks it
 * against the tool's schema.
 */
export function shortened<H extends Handler>(tool: string, handler: H, overspill = new Overspill()): H {
  const wrapped = async (...args: unknown[]): Promise<unknown> => {
    const result: unknown = await Reflect.apply(handler, undefined, args);
    const content = (result as { content?: unknown } | null)?.content;
    if (!Array.isArray(content)) return result;
    const parts = await overspill.apply(content as unknown[], { tool });
    return parts === content ? result : { ...(result as object), content: parts };
  };
  return wrapped as H;
}
