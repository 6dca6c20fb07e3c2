// A front end on the official TypeScript packages of AG-UI: HttpAgent of @ag-ui/client runs the agent at a URL, with a tool of its
// own, whose result it brings in a second run. Prints the conversation.
//
//   node frontend.mjs URL
import { HttpAgent } from '@ag-ui/client';

const agent = new HttpAgent({
  url: process.argv[2], threadId: 'thread-1',
  initialMessages: [{ id: 'u1', role: 'user', content: 'Which colour is it?' }], initialState: { page: 'colours' },
});
const tools = [{ name: 'pick', description: 'Asks the user for a colour.', parameters: { type: 'object', properties: { of: { type: 'string' } } } }];
const called = [];
for (let run = 1; run <= 3; run++) {
  const before = called.length;
  await agent.runAgent({ runId: `run-${run}`, tools, context: [{ description: 'the room', value: 'the hall' }] }, {
    onToolCallEndEvent: ({ event, toolCallName, toolCallArgs }) => { called.push({ id: event.toolCallId, name: toolCallName, args: toolCallArgs }); },
  });
  for (const call of called.slice(before)) agent.addMessage({ id: `result-${call.id}`, role: 'tool', toolCallId: call.id, content: 'green' });
  if (called.length === before) break;
}
console.log(JSON.stringify({ called: called.map(({ name, args }) => ({ name, args })), said: agent.messages.filter((m) => m.role === 'assistant' && m.content).map((m) => m.content) }));
process.exit(0);
