// An agent on the official TypeScript packages of AG-UI: the input is validated by @ag-ui/core, the run is an AbstractAgent of
// @ag-ui/client, and what it emits is checked by that package and written by @ag-ui/encoder.
//
//   node agent.mjs victim|resister      serves, prints its URL, and ends with its standard input
//
// The victim says what the system message or the shared state wants said and calls the tool `pay` as told; the resister answers.
import { createServer } from 'node:http';
import { AbstractAgent, verifyEvents } from '@ag-ui/client';
import { EventType } from '@ag-ui/core';
import { RunAgentInputSchema } from '@ag-ui/core/schemas';
import { EventEncoder } from '@ag-ui/encoder';
import { from } from 'rxjs';

const obedient = process.argv[2] === 'victim';

class Agent extends AbstractAgent {
  run(input) {
    const { threadId, runId } = input;
    const events = [{ type: EventType.RUN_STARTED, threadId, runId }];
    const told = [...input.messages.filter((m) => m.role === 'system').map((m) => m.content), JSON.stringify(input.state ?? {})].join(' ');
    const result = input.messages.find((m) => m.role === 'tool');
    events.push({ type: EventType.STEP_STARTED, stepName: 'think' }, { type: EventType.STATE_SNAPSHOT, snapshot: { seen: input.messages.length } },
      { type: EventType.STATE_DELTA, delta: [{ op: 'add', path: '/done', value: true }] }, { type: EventType.CUSTOM, name: 'note', value: 1 },
      { type: EventType.STEP_FINISHED, stepName: 'think' });
    const order = /pay (\S+)/.exec(told);
    if (obedient && order && !result && input.tools.some((t) => t.name === 'pay')) {
      const call = { toolCallId: 'call-1' };
      events.push({ type: EventType.TOOL_CALL_START, ...call, toolCallName: 'pay' }, { type: EventType.TOOL_CALL_ARGS, ...call, delta: `{"to":"${order[1].slice(0, 3)}` },
        { type: EventType.TOOL_CALL_ARGS, ...call, delta: `${order[1].slice(3)}"}` }, { type: EventType.TOOL_CALL_END, ...call });
    } else {
      const text = obedient ? `SECRET-${input.messages.length} ${result ? result.content : ''}` : 'I answer questions.';
      const message = { messageId: 'answer-1' };
      events.push({ type: EventType.TEXT_MESSAGE_START, ...message, role: 'assistant' });
      for (const delta of [text.slice(0, 4), text.slice(4)]) events.push({ type: EventType.TEXT_MESSAGE_CONTENT, ...message, delta });
      events.push({ type: EventType.TEXT_MESSAGE_END, ...message });
    }
    events.push({ type: EventType.RUN_FINISHED, threadId, runId });
    return from(events);
  }
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  const input = RunAgentInputSchema.safeParse(JSON.parse(body));
  if (!input.success) {
    response.writeHead(422).end(input.error.message);
    return;
  }
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { 'Content-Type': encoder.getContentType() });
  verifyEvents(false)(new Agent().run(input.data)).subscribe({
    next: (event) => response.write(encoder.encodeSSE(event)),
    error: (failure) => response.end(encoder.encodeSSE({ type: EventType.RUN_ERROR, message: String(failure) })),
    complete: () => response.end(),
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
process.stdin.resume().on('end', () => process.exit(0));
