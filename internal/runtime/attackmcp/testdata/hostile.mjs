// An official TypeScript client meets a hostile server:
// node hostile.mjs v1|v2 PATIENCE_MS stdio COMMAND [ARG]... or http URL.
// What came of each step goes to stdout as JSON: "ok", "error" or "nothing".
const [generation, patience, way, where, ...args] = process.argv.slice(2);

async function load() {
  if (generation === 'v2') {
    return { ...(await import('@modelcontextprotocol/client')), ...(await import('@modelcontextprotocol/client/stdio')) };
  }
  const at = '@modelcontextprotocol/sdk/client/';
  return { ...(await import(at + 'index.js')), ...(await import(at + 'stdio.js')), ...(await import(at + 'streamableHttp.js')) };
}

const sdk = await load();
const timeout = Number(patience);
const transport =
  way === 'stdio' ? new sdk.StdioClientTransport({ command: where, args, env: process.env, stderr: 'ignore' }) : new sdk.StreamableHTTPClientTransport(new URL(where));
const client = new sdk.Client({ name: 'judge', version: '1' }, { capabilities: {} });
client.onerror = () => {};

async function step(what) {
  const begun = Date.now();
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('late')), timeout + 500)));
  try {
    await Promise.race([what(), late]);
    return 'ok';
  } catch {
    return Date.now() - begun >= timeout - 50 ? 'nothing' : 'error';
  } finally {
    clearTimeout(timer);
  }
}

const seen = { pages: 0 };
await client.connect(transport);
seen.list = await step(async () => {
  for (let cursor; ; ) {
    const page = await client.listTools({ cursor }, { timeout });
    seen.pages++;
    if (!(cursor = page.nextCursor)) return;
  }
});
const call = () => client.callTool({ name: 't', arguments: {} }, undefined, { timeout });
seen.first = await step(generation === 'v2' ? () => client.callTool({ name: 't', arguments: {} }, { timeout }) : call);
seen.second = await step(generation === 'v2' ? () => client.callTool({ name: 't', arguments: {} }, { timeout }) : call);
process.stdout.write(JSON.stringify(seen), () => process.exit(0));
