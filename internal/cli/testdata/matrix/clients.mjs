// One of the matrix's clients makes its tour of every server that the configuration names:
// node clients.mjs sdk|client|ai CONFIG, in a directory where npm installed @modelcontextprotocol/sdk,
// @modelcontextprotocol/client and @ai-sdk/mcp. It lists everything, gets and reads each thing
// once and calls each tool three times, accepts what it is asked, stays to hear of changes, and lists again upon them. A request that fails
// is told, and the tour goes on.
import { readFileSync } from 'node:fs';
const [which, config] = process.argv.slice(2);
const patience = 5000, stay = 2500;
const failures = [];
const attempt = async (what, work) => {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no answer in time')), patience); });
  try {
    return await Promise.race([work(), late]);
  } catch (e) {
    failures.push(`${what}: ${String(e?.message ?? e).slice(0, 200)}`);
  } finally {
    clearTimeout(timer);
  }
};
const accepted = { action: 'accept', content: {} };
const sampled = { model: 'none', role: 'assistant', content: { type: 'text', text: 'sampled' }, stopReason: 'endTurn' };
const roots = { roots: [{ uri: 'file:///root', name: 'root' }] };

async function official(url, changed) {
  const sdk = which === 'client' ? await import('@modelcontextprotocol/client') : {
    ...(await import('@modelcontextprotocol/sdk/client/index.js')), ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
  };
  const types = which === 'client' ? null : await import('@modelcontextprotocol/sdk/types.js');
  const on = (method, schema) => types ? types[schema] : method;
  const client = new sdk.Client({ name: 'matrix', version: '1' }, {
    capabilities: { roots: {}, elicitation: {}, sampling: {} },
    listChanged: { tools: { onChanged: changed } },
    ...(which === 'client' ? { versionNegotiation: { mode: 'auto' } } : {}),
  });
  client.setRequestHandler(on('roots/list', 'ListRootsRequestSchema'), () => roots);
  client.setRequestHandler(on('elicitation/create', 'ElicitRequestSchema'), () => accepted);
  client.setRequestHandler(on('sampling/createMessage', 'CreateMessageRequestSchema'), () => sampled);
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function ai(url) {
  const { createMCPClient, ElicitationRequestSchema } = await import('@ai-sdk/mcp');
  const client = await createMCPClient({ transport: { type: 'http', url }, capabilities: { elicitation: {} } });
  client.onElicitationRequest(ElicitationRequestSchema, () => accepted);
  return {
    listTools: () => client.listTools(), callTool: (c) => client.callTool(c),
    listPrompts: () => client.listPrompts(), getPrompt: (p) => client.getPrompt(p),
    listResources: () => client.listResources(), readResource: (r) => client.readResource(r),
    close: () => client.close(),
  };
}

// argumentsFor gives every parameter a value of its kind.
function argumentsFor(schema) {
  const out = {};
  for (const [name, p] of Object.entries(schema?.properties ?? {})) {
    out[name] = p?.enum?.[0] ?? { number: 1, integer: 1, boolean: true, array: [], object: {} }[p?.type] ?? 'a';
  }
  return out;
}

async function tour(url) {
  let changed;
  const change = new Promise((resolve) => (changed = resolve));
  const client = await attempt('connect', () => (which === 'ai' ? ai(url) : official(url, changed)));
  if (!client) return;
  const tools = (await attempt('tools/list', () => client.listTools()))?.tools ?? [];
  for (const t of [...tools, ...tools, ...tools]) await attempt('tools/call', () => client.callTool({ name: t.name, arguments: argumentsFor(t.inputSchema) }));
  const prompts = (await attempt('prompts/list', () => client.listPrompts()))?.prompts ?? [];
  for (const p of prompts) {
    const given = Object.fromEntries((p.arguments ?? []).map((a) => [a.name, 'a']));
    await attempt('prompts/get', () => client.getPrompt({ name: p.name, arguments: given }));
  }
  const resources = (await attempt('resources/list', () => client.listResources()))?.resources ?? [];
  for (const r of resources) await attempt('resources/read', () => client.readResource({ uri: r.uri }));
  await Promise.race([change, new Promise((resolve) => setTimeout(resolve, stay))]);
  await attempt('tools/list', () => client.listTools());
  await attempt('close', () => client.close());
}

const servers = JSON.parse(readFileSync(config, 'utf8')).mcpServers;
for (const { url } of Object.values(servers)) await tour(url);
process.stderr.write(failures.join('\n'));
process.exitCode = failures.length ? 1 : 0;
setTimeout(() => process.exit(), 500).unref();
