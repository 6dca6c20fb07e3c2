package survey

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// transports make an HTTP endpoint of a server. A browser can be made to send requests there by a page that changes the
// address of its own name (DNS rebinding), unless the server compares the header Host or Origin.
var transports = map[string][]string{
	"typescript": {"StreamableHTTPServerTransport", "SSEServerTransport"},
	"python": {".run_http_async", ".run_sse_async", ".run_streamable_http_async", ".sse_app", ".streamable_http_app", ".http_app",
		"mcp.server.sse.SseServerTransport", "StreamableHTTPSessionManager"},
	"go": {"mcp-go/server.NewSSEServer", "mcp-go/server.NewStreamableHTTPServer", "go-sdk/mcp.NewStreamableHTTPHandler", "go-sdk/mcp.NewSSEHandler"},
}

// overHTTP are the transports that run() of Python's SDKs takes by name.
var overHTTP = []string{"http", "sse", "streamable-http", "streamable_http"}

// protectors compare Host or Origin, or let nobody in without a credential.
var protectors = []string{"hostHeaderValidation", "localhostHostValidation", "createMcpExpressApp", "createMcpFastifyApp", "createMcpHonoApp",
	"TrustedHostMiddleware", "TransportSecuritySettings", "CrossOriginProtection"}

// authenticators let nobody in without a credential.
var authenticators = []string{"requireBearerAuth", "mcpAuthRouter", "mcpAuth", "BearerAuthBackend", "RequireAuthMiddleware", "AuthenticationMiddleware",
	"expressjwt", "passport.authenticate", "auth.RequireBearerToken"}

// readListeners notes HTTP endpoints that compare neither Host nor Origin, and those that the whole network reaches.
func (s *surveyor) readListeners() {
	entries := s.entries()
	if len(entries) == 0 {
		return
	}
	guards := s.readGuards()
	guards.compares = guards.compares || s.lang == "python" && s.sdkCompares()
	reported := map[*ir.File]bool{}
	for _, c := range entries {
		guards.compares = guards.compares || s.hasAllowedHosts(c)
	}
	for _, c := range entries {
		if reported[c.Scope.File] {
			continue // one endpoint that makes a transport for each session, or in several ways
		}
		name, _ := s.calls(c, transports[s.lang]...)
		if name == "" {
			name = "run"
		}
		switch {
		case guards.compares || guards.authenticates || s.guardsLoopback(name):
			continue
		case s.isTrue(argument(c, "enableDnsRebindingProtection")):
			s.report(sink.OpenListener, c, endpointName(name), "enableDnsRebindingProtection is set, but neither allowedHosts nor allowedOrigins: without them it checks nothing")
		default:
			s.report(sink.OpenListener, c, endpointName(name), "nothing checks the Host or Origin header of its requests, so a web page in a browser on the same machine can send them (DNS rebinding)")
		}
		reported[c.Scope.File] = true
	}
	if !guards.authenticates && !guards.compares {
		s.readBindings()
	}
	s.readSharing()
}

// endpointName is what an endpoint is called in a message.
func endpointName(name string) string { return strings.TrimPrefix(lastWord(name), ".") }

// entries returns the calls that make HTTP endpoints.
func (s *surveyor) entries() (out []*ir.Expr) {
	listens := s.lang != "typescript"
	for _, c := range s.g.Program().Calls {
		if _, ok := s.calls(c, ".listen", "Bun.serve", "Deno.serve", "@hono/node-server.serve"); ok {
			listens = true
		}
		if name, ok := s.calls(c, transports[s.lang]...); ok {
			if s.lang != "typescript" || strings.HasPrefix(name, "@modelcontextprotocol/") && !strings.Contains(name, "WebStandard") {
				out = append(out, c)
			}
		} else if _, ok := s.calls(c, ".run"); ok && s.lang == "python" && s.runsOverHTTP(c) {
			out = append(out, c)
		}
	}
	if !listens {
		return nil
	}
	return out
}

// runsOverHTTP reports whether mcp.run(transport="http") names such a transport.
func (s *surveyor) runsOverHTTP(c *ir.Expr) bool {
	x := argument(c, "transport")
	if x == nil && len(c.Args) == 1 && c.Args[0].Name == "" {
		x = c.Args[0].Value
	}
	return x != nil && slices.ContainsFunc(s.constants(x, 0), func(t string) bool { return slices.Contains(overHTTP, t) })
}

// hasAllowedHosts reports whether a transport is told which hosts or origins to let in.
func (s *surveyor) hasAllowedHosts(c *ir.Expr) bool {
	on := s.lang != "typescript" || argument(c, "enableDnsRebindingProtection") != nil
	for _, name := range []string{"allowedHosts", "allowedOrigins", "allowed_hosts", "allowed_origins", "security_settings", "transport_security", "middleware"} {
		if on && argument(c, name) != nil {
			return true
		}
	}
	return false
}

// Guards are what a program does to requests before they reach its endpoint.
type guards struct {
	compares      bool // the header Host or Origin, and refuses some
	authenticates bool // it refuses requests without a credential
}

// readGuards looks for a header that is compared in a function that refuses requests, and for what packages offer.
func (s *surveyor) readGuards() (g guards) {
	for _, c := range s.g.Program().Calls {
		if s.isUnguardedApp(c) {
			continue
		}
		mentions := append(slices.Clone(s.named[c]), lastName(c.X))
		for _, a := range c.Args { // app.add_middleware(TrustedHostMiddleware), Middleware(TrustedHostMiddleware)
			mentions = append(mentions, lastName(a.Value))
		}
		for _, n := range mentions {
			g.compares = g.compares || hasAnySuffix(n, protectors)
			g.authenticates = g.authenticates || hasAnySuffix(n, authenticators)
		}
		if x := argument(c, "auth"); x != nil && x.Text != "None" {
			if _, ok := s.calls(c, "FastMCP", "MCPServer"); ok {
				g.authenticates = true
			}
		}
		if x := argument(c, "authenticate"); x != nil {
			g.authenticates = true
		}
		if s.hasAllowedHosts(c) && (argument(c, "security_settings") != nil || argument(c, "transport_security") != nil) {
			g.compares = true
		}
	}
	asks := map[*ir.Func]headers{}
	var refusing []*ir.Func
	for _, fn := range s.g.Program().Funcs {
		h := headersIn(fn)
		if !h.refuses {
			if h.origin || h.credential {
				asks[fn] = h
			}
			continue
		}
		refusing = append(refusing, fn)
		g.compares = g.compares || h.origin
		g.authenticates = g.authenticates || h.credential
	}
	for _, fn := range refusing { // if (!isAllowed(req)) res.status(403).end()
		for _, h := range s.askedBy(fn, asks) {
			g.compares = g.compares || h.origin
			g.authenticates = g.authenticates || h.credential
		}
	}
	return g
}

// askedBy returns what the functions read of a request's headers by whose answers a function decides.
func (s *surveyor) askedBy(fn *ir.Func, asks map[*ir.Func]headers) (out []headers) {
	if len(asks) == 0 {
		return nil
	}
	eachStatement(fn.Body, 0, func(st *ir.Stmt) {
		if st.Step != ir.Branch || st.Cond == nil {
			return
		}
		holds(st.Cond, 0, func(e *ir.Expr) bool {
			if e.Kind != ir.Call {
				return false
			}
			for _, callee := range s.g.Callees(e, callgraph.Context{}) {
				if h, ok := asks[callee.Func]; ok && callee.Func != nil {
					out = append(out, h)
				}
			}
			return false
		})
	})
	return out
}

func hasAnySuffix(name string, suffixes []string) bool {
	return name != "" && slices.ContainsFunc(suffixes, func(s string) bool {
		return strings.HasSuffix(name, s) || strings.HasSuffix(name, s+"()")
	})
}

// readBindings notes listeners that every machine of the network reaches.
func (s *surveyor) readBindings() {
	for _, c := range s.g.Program().Calls {
		where := ""
		switch {
		case s.lang == "typescript":
			if _, ok := s.calls(c, ".listen"); ok && len(c.Args) > 0 {
				where = s.nodeBinding(c)
			}
		case s.lang == "python":
			if _, ok := s.calls(c, ".run", "run_http_async", "run_sse_async", "run_streamable_http_async", "uvicorn.run", "uvicorn.Config", "FastMCP"); ok {
				if host := argument(c, "host"); host != nil && slices.ContainsFunc(s.constants(host, 0), isEverywhere) {
					where = "it listens on all addresses of the machine"
				}
			}
		default:
			if _, ok := s.calls(c, "net/http.ListenAndServe", ".Start", "net.Listen"); ok && len(c.Args) > 0 {
				for _, a := range c.Args[:min(len(c.Args), 2)] {
					if slices.ContainsFunc(s.constants(a.Value, 0), func(t string) bool { return len(t) > 1 && (t[0] == ':' || strings.HasPrefix(t, "0.0.0.0:")) }) {
						where = "it listens on all addresses of the machine"
					}
				}
			}
		}
		if where != "" {
			s.report(sink.WideListener, c, "listen", where+", and nothing asks for a credential: everyone who can reach the machine can call its tools")
		}
	}
}

func isEverywhere(host string) bool { return host == "0.0.0.0" || host == "::" || host == "[::]" }

// nodeBinding says how a listener of Node.js is bound too widely, "" for one that is not.
func (s *surveyor) nodeBinding(c *ir.Expr) string {
	if c.Args[0].Value != nil && c.Args[0].Value.Kind == ir.Object {
		host := argument(c, "host")
		if host == nil {
			return "it listens without a host, which means on all addresses of the machine"
		}
		if slices.ContainsFunc(s.constants(host, 0), isEverywhere) {
			return "it listens on all addresses of the machine"
		}
		return ""
	}
	if len(c.Args) < 2 || c.Args[1].Value == nil || c.Args[1].Value.Kind == ir.Function {
		if s.isPath(c.Args[0].Value) || len(c.Args) == 1 && c.Args[0].Spread {
			return ""
		}
		return "it listens without a host, which means on all addresses of the machine"
	}
	if slices.ContainsFunc(s.constants(c.Args[1].Value, 0), isEverywhere) {
		return "it listens on all addresses of the machine"
	}
	return ""
}

// isPath reports whether a listener is bound to a file or to something that is no port.
func (s *surveyor) isPath(e *ir.Expr) bool {
	if e == nil {
		return true
	}
	name := strings.ToLower(lastName(e))
	return strings.Contains(name, "path") || strings.Contains(name, "sock") || strings.Contains(name, "option") || strings.Contains(name, "addr")
}

// readSharing notes CORS that lets every origin send the user's credentials.
func (s *surveyor) readSharing() {
	for _, c := range s.g.Program().Calls {
		_, isCors := s.calls(c, "cors")
		middleware := len(c.Args) > 0 && lastName(c.Args[0].Value) == "CORSMiddleware"
		if !isCors && !middleware {
			continue
		}
		origin, credentials := argument(c, "origin"), argument(c, "credentials")
		if middleware {
			origin, credentials = argument(c, "allow_origins"), argument(c, "allow_credentials")
		}
		if !s.isTrue(credentials) || origin == nil {
			continue
		}
		if s.isTrue(origin) || slices.Contains(s.constants(origin, 0), "*") || origin.Kind == ir.List && len(origin.Args) == 1 && slices.Contains(s.constants(origin.Args[0].Value, 0), "*") {
			s.report(sink.OpenSharing, c, "CORS", "every origin may read its answers, with the credentials of the user's browser")
		}
	}
}

func lastName(e *ir.Expr) string {
	if e == nil || e.Kind != ir.Name && e.Kind != ir.Attr {
		return ""
	}
	return e.Text
}

func lastWord(name string) string {
	name = strings.TrimSuffix(name, "()")
	return name[strings.LastIndexAny(name, "./")+1:]
}
