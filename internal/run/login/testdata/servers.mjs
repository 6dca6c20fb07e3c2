// A protected MCP server with an authorization server of somebody else's behind it: the first argument
// is the folder in which npm installed both, the second which of them. The URL of the MCP server is
// printed. POST /expire has the server take no token that it has seen any more.
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, kind] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(folder, 'node_modules', file)).href);
const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`)));

async function startProvider(resource) {
  const { default: Provider } = await load('oidc-provider/lib/index.js');
  const server = http.createServer();
  const issuer = await listen(server);
  const provider = new Provider(issuer, {
    features: {
      devInteractions: { enabled: false }, registration: { enabled: true }, revocation: { enabled: true }, clientCredentials: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: () => ({ scope: 'tools', audience: resource(), accessTokenTTL: 3600, accessTokenFormat: 'opaque' }), useGrantedResource: () => true },
    },
    clients: [{ client_id: 'ci', client_secret: 'ci-secret-of-the-provider', grant_types: ['client_credentials'], redirect_uris: [], response_types: [], token_endpoint_auth_method: 'client_secret_basic' }],
    scopes: ['openid', 'offline_access', 'tools'], cookies: { keys: ['k'] },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_, i) => `/interaction/${i.uid}` },
    issueRefreshToken: async () => true,
    pkce: { required: () => true },
  });
  const handle = provider.callback();
  const agree = async (req, res) => { // the user logs in, and consents
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (prompt.name === 'login') return provider.interactionFinished(req, res, { login: { accountId: 'ada' } });
    const grant = new provider.Grant({ clientId: params.client_id, accountId: session.accountId });
    grant.addOIDCScope('openid offline_access tools');
    grant.addResourceScope(resource(), 'tools');
    return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
  };
  server.on('request', (req, res) => (req.url.startsWith('/interaction/') ? agree(req, res) : handle(req, res)));
  const known = async (token) => {
    const t = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
    return Boolean(t && !t.isExpired && [].concat(t.aud).includes(resource()));
  };
  return { issuer, known };
}

async function startMock() {
  const { OAuth2Server } = await load('oauth2-mock-server/dist/index.mjs');
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  let n = 0; // two tokens of one second would be the same
  server.service.on('beforeTokenSigning', (token) => { token.payload.jti = String(n++); });
  await server.start(0, '127.0.0.1');
  const issuer = server.issuer.url;
  const known = async (token) => {
    try { return JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).iss === issuer; } catch { return false; }
  };
  return { issuer, known };
}

let url = '';
const { issuer, known } = await (kind === 'provider' ? startProvider(() => url) : startMock());
const seen = new Set(), expired = new Set();
const mcp = http.createServer(async (req, res) => {
  const answer = (status, value, header = {}) => { res.writeHead(status, { 'Content-Type': 'application/json', ...header }); res.end(value === undefined ? '' : JSON.stringify(value)); };
  let body = '';
  for await (const chunk of req) body += chunk;
  if (req.url === '/.well-known/oauth-protected-resource/mcp') return answer(200, { resource: url, authorization_servers: [issuer], scopes_supported: ['tools'] });
  if (req.url === '/expire') { for (const t of seen) expired.add(t); return answer(200); }
  if (req.url !== '/mcp' || req.method !== 'POST') return answer(404);
  const token = (req.headers.authorization ?? '').replace(/^Bearer /, '');
  if (!token || expired.has(token) || !(await known(token))) return answer(401, { error: 'invalid_token' }, { 'WWW-Authenticate': 'Bearer' });
  seen.add(token);
  const q = JSON.parse(body);
  if (q.id === undefined) return answer(202);
  if (q.method === 'initialize') return answer(200, { jsonrpc: '2.0', id: q.id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: kind, version: '1' } } });
  if (q.method === 'tools/list') return answer(200, { jsonrpc: '2.0', id: q.id, result: { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] } });
  answer(200, { jsonrpc: '2.0', id: q.id, error: { code: -32601, message: 'Method not found' } });
});
url = `${await listen(mcp)}/mcp`;
console.log(url);
process.stdin.resume().on('end', () => process.exit(0)); // ends with who started it
