/**
 * LangChain.js: shortens the results of the tools of an agent.
 *
 *     const agent = createAgent({ model, tools, middleware: [overspillMiddleware()] });
 */

import { createMiddleware, ToolMessage } from 'langchain';

import { Overspill } from '../index.js';

/** Returns a middleware that shortens every tool message. */
export function overspillMiddleware(overspill = new Overspill()): ReturnType<typeof createMiddleware> {
  return createMiddleware({
    name: 'overspill',
    wrapToolCall: async (request, handler) => {
      const answer = await handler(request);
      if (!ToolMessage.isInstance(answer)) return answer;
      const { name, id } = request.toolCall;
      const content = await overspill.apply(answer.content, { tool: name, callId: id });
      if (content === answer.content) return answer;
      const { tool_call_id, status, artifact, additional_kwargs, response_metadata } = answer;
      return new ToolMessage({
        content,
        tool_call_id,
        artifact: artifact as unknown,
        additional_kwargs,
        response_metadata,
        ...(status && { status }),
        ...(answer.name && { name: answer.name }),
        ...(answer.id && { id: answer.id }),
      });
    },
  });
}
