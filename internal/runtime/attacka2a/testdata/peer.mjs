// The official JavaScript SDK of A2A, in revision 0.3 (a2a03) or the current one (a2a1), as a client of an agent or as an
// agent of its own.
//
//   node peer.mjs client v03|v1 URL     reads the card, sends a message, streams one, asks for the task; prints what it got
//   node peer.mjs server v03|v1         serves an agent, prints its URL, and ends with its standard input
import { randomUUID } from 'node:crypto';

const [role, generation, url] = process.argv.slice(2);
const name = generation === 'v1' ? 'a2a1' : 'a2a03';
const isCurrent = generation === 'v1';

// textOf returns the texts of a message, an artifact or a task, in either form.
function textOf(v) {
  const texts = [];
  JSON.stringify(v, (key, value) => {
    if (key === 'text' && typeof value === 'string') texts.push(value);
    if (value && value.$case === 'text' && typeof value.value === 'string') texts.push(value.value);
    return value;
  });
  return texts;
}

async function client() {
  const { ClientFactory } = await import(`${name}/client`);
  const agent = await new ClientFactory().createFromUrl(url);
  const card = await agent.getAgentCard();
  let signature = '';
  if (isCurrent && card.signatures?.length) {
    const { verifyAgentCardSignature } = await import(name);
    console.debug = () => {};
    const key = async (kid, jku) => (await (await fetch(jku)).json()).keys.find((k) => k.kid === kid);
    signature = await verifyAgentCardSignature(key)(card).then(() => 'verified', (failure) => failure.message);
  }
  const message = (text) => isCurrent
    ? { tenant: '', message: { messageId: randomUUID(), contextId: '', taskId: '', role: 1, parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }], metadata: undefined, extensions: [], referenceTaskIds: [] }, configuration: undefined, metadata: undefined }
    : { message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text }] } };
  const sent = await agent.sendMessage(message('send'));
  const streamed = [];
  for await (const item of agent.sendMessageStream(message('stream'))) {
    streamed.push(item.payload?.$case ?? item.kind);
    if (streamed.length > 20) break;
  }
  const id = (sent.payload?.value ?? sent.task ?? sent).id;
  const again = id ? await agent.getTask(isCurrent ? { tenant: '', id, historyLength: undefined } : { id }) : undefined;
  console.log(JSON.stringify({
    card: card.name, signature, skills: card.skills.map((s) => s.description), sent: textOf(sent), streamed, again: again ? textOf(again) : [],
  }));
}

async function server() {
  const [{ DefaultRequestHandler, InMemoryTaskStore, ...more }, { jsonRpcHandler, agentCardHandler, UserBuilder }, { default: express }] =
    await Promise.all([import(`${name}/server`), import(`${name}/server/express`), import('express')]);
  const app = express();
  const listening = app.listen(0, '127.0.0.1', () => {
    const base = `http://127.0.0.1:${listening.address().port}/`;
    const common = { name: 'Peer', description: 'An honest agent.', version: '1', capabilities: { streaming: true, pushNotifications: false, extensions: [] }, defaultInputModes: ['text'], defaultOutputModes: ['text'] };
    const card = isCurrent
      ? { ...common, supportedInterfaces: [{ url: base, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }], securitySchemes: {}, securityRequirements: [], skills: [{ id: 's', name: 'S', description: 'Says it again.', tags: [], examples: [], inputModes: [], outputModes: [], securityRequirements: [] }], signatures: [] }
      : { ...common, protocolVersion: '0.3.0', url: base, preferredTransport: 'JSONRPC', skills: [{ id: 's', name: 'S', description: 'Says it again.', tags: [] }] };
    const executor = {
      async execute(context, bus) {
        const asked = textOf(context.userMessage ?? context.request.message).join(' ');
        const { taskId, contextId } = context;
        const text = `You said: ${asked}`;
        if (isCurrent) {
          const parts = [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }];
          const status = (state) => ({ state, message: undefined, timestamp: undefined });
          bus.publish(more.AgentEvent.task({ id: taskId, contextId, status: status(1), artifacts: [], history: [], metadata: undefined }));
          bus.publish(more.AgentEvent.artifactUpdate({ taskId, contextId, artifact: { artifactId: 'a', name: 'a', description: '', parts, metadata: undefined, extensions: [] }, append: false, lastChunk: true, metadata: undefined }));
          bus.publish(more.AgentEvent.statusUpdate({ taskId, contextId, status: status(3), metadata: undefined }));
        } else {
          bus.publish({ kind: 'task', id: taskId, contextId, status: { state: 'submitted' } });
          bus.publish({ kind: 'artifact-update', taskId, contextId, artifact: { artifactId: 'a', parts: [{ kind: 'text', text }] } });
          bus.publish({ kind: 'status-update', taskId, contextId, status: { state: 'completed' }, final: true });
        }
        bus.finished();
      },
      async cancelTask() {},
    };
    const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
    app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
    console.log(base);
  });
  process.stdin.resume().on('end', () => process.exit(0));
}

await (role === 'client' ? client() : server());
