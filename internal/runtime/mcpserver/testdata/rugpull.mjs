// An official TypeScript client meets a server that asks and changes:
// node rugpull.mjs v1|v2 legacy|stateless stdio COMMAND [ARG]..., http URL or sse URL.
// What it saw goes to stdout as JSON.
const [generation, era, way, where, ...args] = process.argv.slice(2);

// load returns the parts of the SDK, which has other names in each generation.
async function load() {
  if (generation === 'v2') {
    const sdk = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    return { ...sdk, StdioClientTransport, roots: 'roots/list', elicit: 'elicitation/create', sample: 'sampling/createMessage' };
  }
  const at = '@modelcontextprotocol/sdk/';
  const types = await import(at + 'types.js');
  return {
    ...(await import(at + 'client/index.js')),
    ...(await import(at + 'client/stdio.js')),
    ...(await import(at + 'client/streamableHttp.js')),
    ...(await import(at + 'client/sse.js')),
    roots: types.ListRootsRequestSchema, elicit: types.ElicitRequestSchema, sample: types.CreateMessageRequestSchema,
  };
}

const sdk = await load();
const transport = {
  stdio: () => new sdk.StdioClientTransport({ command: where, args, env: process.env }),
  http: () => new sdk.StreamableHTTPClientTransport(new URL(where)),
  sse: () => new sdk.SSEClientTransport(new URL(where)),
}[way]();

let changed;
const change = new Promise((resolve) => (changed = resolve));
const client = new sdk.Client(
  { name: 'judge', version: '1' },
  {
    capabilities: { roots: {}, elicitation: {}, sampling: {} },
    listChanged: { tools: { onChanged: (error, tools) => changed(error ? String(error) : tools.map((t) => t.name)) } },
    ...(era === 'stateless' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
  },
);
client.setRequestHandler(sdk.roots, () => ({ roots: [{ uri: 'file:///root', name: 'root' }] }));
client.setRequestHandler(sdk.elicit, () => ({ action: 'accept', content: { name: 'Ada' } }));
client.setRequestHandler(sdk.sample, () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: 'sampled' } }));
await client.connect(transport);
const seen = { before: (await client.listTools()).tools.map((t) => t.name) };
seen.said = (await client.callTool({ name: 'good', arguments: {} })).content[0].text;
seen.after = await change;
await client.close();
process.stdout.write(JSON.stringify(seen));
