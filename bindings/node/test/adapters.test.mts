/** Runs each adapter in the real framework, with a model that makes tool calls. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createAgent, tool as langchainTool } from 'langchain';
import { Overspill } from 'overspill';
import { createTruncationMiddleware, TruncationService } from 'overspill/agent-v2';
import { shortenedTools } from 'overspill/ai';
import { overspillMiddleware } from 'overspill/langchain';
import { shortened } from 'overspill/mcp';
import { createTruncate } from 'overspill/opencode';
import { createTruncationPlugin } from 'overspill/takumi';
import { z } from 'zod';

import { directory, lines, make, numbered } from './start.mjs';

test('Vercel AI SDK adapter shortens tool results', async () => {
  const overspill = make({ maxLines: 10, maxBytes: 2000 });
  const tools = shortenedTools(
    {
      log: tool({ inputSchema: z.object({ count: z.number() }), execute: async ({ count }) => numbered(count) }),
      data: tool({ inputSchema: z.object({}), execute: () => ({ all: numbered(1000).split('\n') }) }),
      stream: tool({
        inputSchema: z.object({}),
        async *execute() {
          yield 'begun';
          yield numbered(1000);
        },
      }),
    },
    overspill,
  );
  const asked: Array<[string, object]> = [['log', { count: 1000 }], ['log', { count: 2 }], ['data', {}], ['stream', {}]];
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV3({
    doGenerate: [
      {
        content: asked.map(([toolName, input], index) => ({
          type: 'tool-call',
          toolCallId: `c${index}`,
          toolName,
          input: JSON.stringify(input),
        })),
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
      { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop', raw: undefined }, usage, warnings: [] },
    ],
  });
  const result = await generateText({ model, tools, prompt: 'read it', stopWhen: stepCountIs(3) });
  assert.equal(result.text, 'done');
  const [long, short, data, stream] = result.steps[0]?.toolResults.map((one) => one.output as unknown) ?? [];
  assert(lines(long) <= 10 && lines(stream) <= 10 && String(data).length <= 2000);
  assert.equal(short, numbered(2));
  assert.deepEqual((await overspill.list()).map((entry) => entry.callId).sort(), ['c0', 'c2', 'c3']);
});

test('MCP TypeScript SDK adapter shortens tool results', async () => {
  const overspill = make({ maxLines: 10 });
  const server = new McpServer({ name: 'logs', version: '1' });
  server.registerTool(
    'log',
    { inputSchema: { count: z.number() } },
    shortened('log', async ({ count }: { count: number }) => ({ content: [{ type: 'text' as const, text: numbered(count) }] }), overspill),
  );
  server.registerTool(
    'parts',
    {},
    shortened(
      'parts',
      () => ({
        isError: true,
        content: [
          { type: 'text' as const, text: numbered(900) },
          { type: 'image' as const, data: 'aaaa', mimeType: 'image/png' },
        ],
      }),
      overspill,
    ),
  );
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  type Content = Array<{ text?: string; data?: string }>;
  const call = async (name: string, args: object): Promise<Content> =>
    (await client.callTool({ name, arguments: { ...args } })).content as Content;
  assert(lines((await call('log', { count: 1000 }))[0]?.text) <= 10);
  assert.equal((await call('log', { count: 2 }))[0]?.text, numbered(2));
  const [text, image] = await call('parts', {});
  assert(lines(text?.text) <= 10 && image?.data === 'aaaa');
  assert.equal((await client.callTool({ name: 'parts', arguments: {} })).isError, true);
  await client.close();
});

class Asks extends BaseChatModel {
  #turn = 0;
  override _llmType(): string {
    return 'asks';
  }
  override bindTools(): this {
    return this;
  }
  override async _generate(): Promise<{ generations: Array<{ text: string; message: BaseMessage }> }> {
    const calls = [
      { name: 'log', args: { count: 1000 }, id: 'c1' },
      { name: 'log', args: { count: 2 }, id: 'c2' },
    ];
    const message = (this.#turn += 1) === 1 ? new AIMessage({ content: '', tool_calls: calls }) : new AIMessage('done');
    return { generations: [{ text: '', message }] };
  }
}

test('LangChain.js adapter shortens tool results', async () => {
  const overspill = make({ maxLines: 10 });
  const log = langchainTool(({ count }: { count: number }) => numbered(count), {
    name: 'log',
    description: 'Reads a log.',
    schema: z.object({ count: z.number() }),
  });
  const agent = createAgent({ model: new Asks({}), tools: [log], middleware: [overspillMiddleware(overspill)] });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'read it' }] });
  const [long, short] = messages.filter((one) => ToolMessage.isInstance(one));
  assert(lines(long?.content) <= 10 && long?.tool_call_id === 'c1' && long.name === 'log');
  assert.equal(short?.content, numbered(2));
  assert.deepEqual((await overspill.list()).map((entry) => entry.callId), ['c1']);
});

test('opencode adapter shortens tool results', async () => {
  const store = directory();
  const truncate = createTruncate({ store });
  assert.deepEqual(await truncate.output('short'), { content: 'short', truncated: false });
  const result = await truncate.output(numbered(3000));
  assert(result.truncated && result.outputPath.startsWith(store));
  assert.equal(readFileSync(result.outputPath, 'utf8'), numbered(3000));
  assert(result.content.includes('...1001 lines truncated...\n\nThe tool call succeeded but the output was truncated.'));
  assert(result.content.endsWith('Use Grep to search the full content or Read with offset/limit to view specific sections.'));
  const tail = await truncate.output(numbered(3000), { maxLines: 10, direction: 'tail' }, { permission: [] });
  assert(tail.content.startsWith('...2991 lines truncated...') && tail.content.includes('Use the Task tool'));
  const denied = [{ permission: 'task', pattern: '*', action: 'deny' as const }];
  assert(!(await truncate.output(numbered(3000), {}, { permission: denied })).content.includes('Task tool'));
});

test('agent-v2 adapter shortens tool results', async () => {
  const heard: string[] = [];
  const service = new TruncationService({
    global: { maxLines: 20, storageDir: directory() },
    tools: { bash: { maxLines: 5, direction: 'tail' } },
    onEvent: (event) => heard.push(`${event.type}: ${event.toolName}`),
  });
  const middleware = createTruncationMiddleware({
    service,
    skipTools: ['web_fetch'],
    shouldTruncate: (name) => (name === 'no' ? false : name === 'less' ? { maxLines: 2 } : true),
  });
  const result = { success: true, output: numbered(100), metadata: { own: 1 } };
  const run = (toolName: string) => middleware(toolName, result, { toolName });
  const bash = await run('bash');
  assert(bash.output?.startsWith('...96 lines truncated...') && bash['success'] === true);
  assert.deepEqual(
    { ...bash.metadata, truncationPath: typeof bash.metadata?.['truncationPath'] },
    { own: 1, truncated: true, truncationPath: 'string', truncationRemovedLines: 96 },
  );
  assert.equal(await run('web_fetch'), result);
  assert.equal(await run('no'), result);
  assert((await run('less')).output?.startsWith('line 1\nline 2\n\n...'));
  const handled = { output: numbered(100), metadata: { truncated: null } };
  assert.equal(await middleware('bash', handled, { toolName: 'bash' }), handled);
  assert.deepEqual(heard, ['truncated: bash', 'truncated: less']);
  service.setToolConfig('bash', { maxLines: 200 });
  assert.deepEqual((await run('bash')).metadata, { own: 1, truncated: false });
  const output = await service.output(numbered(100), { toolName: 'x', options: { maxLines: 3 } });
  assert(output.truncated && output.removedLines === 98);
  assert.equal((await service.output(numbered(100), { toolName: 'x', options: { skip: true } })).truncated, false);
  assert.equal(await service.cleanup(), 0);
});

test('takumi adapter shortens tool results', async () => {
  const plugin = createTruncationPlugin(new Overspill({ profile: 'takumi', store: directory() }));
  assert.deepEqual([plugin.name, plugin.enforce], ['truncation', 'post']);
  const hook = (result: object, config: object = {}) => plugin.toolResult.call({ config }, result as never, { sessionId: 's' });
  const long = { llmContent: numbered(3000), returnDisplay: 'short' };
  const cut = await hook(long);
  assert(cut.truncated === true && cut.outputPath?.includes('tool_s_') && cut.returnDisplay === 'short');
  assert.equal(readFileSync(cut.outputPath ?? '', 'utf8'), numbered(3000));
  assert.deepEqual(await hook({ llmContent: 'short' }), { llmContent: 'short', truncated: false });
  for (const same of [{ ...long, isError: true }, { ...long, truncated: false }]) assert.equal(await hook(same), same);
  assert.equal(await hook(long, { truncation: false }), long);
  const image = { type: 'image', data: new Uint8Array(3) };
  const parts = await hook({ llmContent: [{ type: 'text', text: numbered(3000) }, image] });
  assert.equal((parts.llmContent[1] as typeof image).data, image.data);
});
