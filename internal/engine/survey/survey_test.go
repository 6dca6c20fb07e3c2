package survey_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/engine/source"
	"gauntlet/sink"
)

const tsServer = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import cors from "cors";
const server = new McpServer({ name: "t", version: "1.0.0" });
server.tool("ping", {}, async () => ({ content: [] }));
const app = express();
%s
app.post("/mcp", async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined%s });
  await transport.handleRequest(req, res, req.body);
});
%s
`

const pyServer = `import os
import logging
from fastmcp import FastMCP
mcp = FastMCP("t"%s)
@mcp.tool()
def ping() -> str:
    return "pong"
%s
`

const goServer = `package main
import (
	"context"
	"net/http"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)
func main() {
	s := server.NewMCPServer("t", "1.0.0")
	s.AddTool(mcp.NewTool("ping"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	h := server.NewSSEServer(s)
	http.ListenAndServe("%s", guard(h))
}
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		%s
		next.ServeHTTP(w, r)
	})
}
`

// TestSites reads servers that differ in one thing: what they guard.
func TestSites(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             string // the kinds of site, in order
	}{
		{"nothing is compared, on loopback", "a.ts", fmt.Sprintf(tsServer, "", "", `app.listen(3000, "127.0.0.1");`), "open_listener"},
		{"no host", "a.ts", fmt.Sprintf(tsServer, "", "", `app.listen(3000, () => {});`), "open_listener wide_listener"},
		{"all addresses by default", "a.ts", fmt.Sprintf(tsServer, "", "", `app.listen(3000, process.env.HOST || "0.0.0.0");`), "open_listener wide_listener"},
		{"a switch without a list", "a.ts", fmt.Sprintf(tsServer, "", ", enableDnsRebindingProtection: true", `app.listen(3000, "127.0.0.1");`), "open_listener"},
		{"a switch and a list", "a.ts", fmt.Sprintf(tsServer, "", `, enableDnsRebindingProtection: true, allowedHosts: ["127.0.0.1"]`, `app.listen(3000, "127.0.0.1");`), ""},
		{"a middleware that refuses", "a.ts", fmt.Sprintf(tsServer, `app.use((req, res, next) => { if (!HOSTS.includes(req.headers.host)) { res.status(403).end(); return; } next(); });`, "", `app.listen(3000, "127.0.0.1");`), ""},
		{"a middleware that only looks", "a.ts", fmt.Sprintf(tsServer, `app.use((req, res, next) => { console.log(req.headers.host); next(); });`, "", `app.listen(3000, "127.0.0.1");`), "open_listener"},
		{"a credential is asked for", "a.ts", fmt.Sprintf(tsServer, `app.use((req, res, next) => { if (req.headers.authorization !== expected) return res.status(401).end(); next(); });`, "", `app.listen(3000);`), ""},
		{"every origin with credentials", "a.ts", fmt.Sprintf(tsServer, `app.use(cors({ origin: true, credentials: true }));`, `, enableDnsRebindingProtection: true, allowedHosts: ["a"]`, `app.listen(3000, "127.0.0.1");`), "open_sharing"},
		{"every origin without", "a.ts", fmt.Sprintf(tsServer, `app.use(cors({ origin: true }));`, `, enableDnsRebindingProtection: true, allowedHosts: ["a"]`, `app.listen(3000, "127.0.0.1");`), ""},
		{"nobody listens", "a.ts", fmt.Sprintf(tsServer, "", "", ""), ""},
		{"a header is the address", "a.ts", fmt.Sprintf(tsServer, `app.use((req, res, next) => { clients.set(req, req.headers["x-service-url"]); next(); });`, `, enableDnsRebindingProtection: true, allowedHosts: ["a"]`, `app.listen(3000, "127.0.0.1");`), "header_address"},
		{"a header that a proxy sets", "a.ts", fmt.Sprintf(tsServer, `app.use((req, res, next) => { note(req.headers["x-forwarded-host"]); next(); });`, `, enableDnsRebindingProtection: true, allowedHosts: ["a"]`, `app.listen(3000, "127.0.0.1");`), ""},
		{"a header whose host is compared", "a.ts", fmt.Sprintf(tsServer, `app.use((req, res, next) => { const u = new URL(req.headers["x-service-url"]); if (!HOSTS.has(u.hostname)) throw new Error("no"); next(); });`, `, enableDnsRebindingProtection: true, allowedHosts: ["a"]`, `app.listen(3000, "127.0.0.1");`), ""},
		{"a token in the log", "a.ts", fmt.Sprintf(tsServer, "console.error(`token ${process.env.API_TOKEN}`);", "", ""), "logged_secret"},
		{"whether it is set", "a.ts", fmt.Sprintf(tsServer, "console.error(`token ${!!process.env.API_TOKEN}`, process.env.API_TOKEN?.length, process.env.CHARS_PER_TOKEN);", "", ""), ""},
		{"all headers in the log", "a.ts", fmt.Sprintf(tsServer, `app.use((req, res, next) => { console.log("request", { headers: req.headers }); next(); });`, "", ""), "logged_secret"},
		{"python over HTTP", "a.py", fmt.Sprintf(pyServer, "", `mcp.run(transport="http")`), "open_listener"},
		{"python over stdio", "a.py", fmt.Sprintf(pyServer, "", `mcp.run(transport="stdio")`), ""},
		{"python on all addresses", "a.py", fmt.Sprintf(pyServer, "", `mcp.run(transport="sse", host="0.0.0.0")`), "open_listener wide_listener"},
		{"python with authentication", "a.py", fmt.Sprintf(pyServer, ", auth=verifier", `mcp.run(transport="http", host="0.0.0.0")`), ""},
		{"python with a list of hosts", "a.py", fmt.Sprintf(pyServer, "", "from starlette.middleware.trustedhost import TrustedHostMiddleware\nmcp.run(transport=\"http\", middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[\"a\"])])"), ""},
		{"python logs a key", "a.py", fmt.Sprintf(pyServer, "", `logging.info(f"key {os.environ['API_KEY']}")`), "logged_secret"},
		{"go", "a.go", fmt.Sprintf(goServer, "127.0.0.1:8080", ""), "open_listener"},
		{"go on all addresses", "a.go", fmt.Sprintf(goServer, ":8080", ""), "open_listener wide_listener"},
		{"go with a guard", "a.go", fmt.Sprintf(goServer, "127.0.0.1:8080", `if r.Host != "localhost" { http.Error(w, "no", http.StatusForbidden); return }`), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, problems, err := source.Analyse([]sink.File{{Path: tt.file, Text: []byte(tt.text)}}, nil, nil)
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			var got []string
			for _, site := range s.Sites {
				got = append(got, string(site.Kind))
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %q: %+v", got, tt.want, s.Sites)
			}
		})
	}
}
