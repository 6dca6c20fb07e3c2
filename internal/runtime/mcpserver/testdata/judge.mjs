// The official TypeScript client reads a server: node judge.mjs stdio COMMAND [ARG]...,
// http URL or sse URL. What it was told goes to stdout as JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';

const [way, where, ...args] = process.argv.slice(2);
const transport = {
  stdio: () => new StdioClientTransport({ command: where, args, env: process.env }),
  http: () => new StreamableHTTPClientTransport(new URL(where)),
  sse: () => new SSEClientTransport(new URL(where)),
}[way]();

async function all(list, member) {
  const items = [];
  for (let cursor; ; ) {
    const page = await list({ cursor });
    items.push(...page[member]);
    if (!(cursor = page.nextCursor)) return items;
  }
}

const client = new Client({ name: 'judge', version: '1' }, { capabilities: {} });
await client.connect(transport);
const seen = {
  server: client.getServerVersion(),
  instructions: client.getInstructions(),
  capabilities: client.getServerCapabilities(),
  tools: await all((p) => client.listTools(p), 'tools'),
  prompts: await all((p) => client.listPrompts(p), 'prompts'),
  resources: await all((p) => client.listResources(p), 'resources'),
  resourceTemplates: await all((p) => client.listResourceTemplates(p), 'resourceTemplates'),
};
await client.ping();
const call = await client.callTool({ name: 'one', arguments: { where: 'here', n: 7 } });
seen.calls = call.isError ? 'refused' : 'done';
await client.close();
process.stdout.write(JSON.stringify(seen));
