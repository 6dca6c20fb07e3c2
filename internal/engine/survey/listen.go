package survey

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// transports make an HTTP endpoint of a server. A browser can be made to send requests there by a page that changes the
// address of its own name (DNS rebinding), unless the server compares the header Host or Origin.
var transports = map[string][]string{
	"typescript": {"StreamableHTTPServerTransport", "SSEServerTransport", "StreamableHTTPTransport"},
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

// guardians are both.
var guardians = slices.Concat(protectors, authenticators)

// readListeners notes HTTP endpoints that compare neither Host nor Origin, and those that the whole network reaches.
func (s *surveyor) readListeners() {
	entries := s.entries()
	if len(entries) == 0 {
		return
	}
	guards := s.readGuards()
	if f := guards.forgiving; f != nil && !guards.authenticates {
		s.report(sink.OpenListener, &ir.Expr{Scope: f.Scope, Start: f.Start, End: f.End}, f.Name, "its check of a credential refuses a wrong one and lets in whoever sends none")
	}
	guards.compares = guards.compares || s.lang == "python" && s.sdkCompares() || slices.ContainsFunc(entries, s.hasAllowedHosts)
	reported := map[*ir.File]bool{}
	for _, c := range entries {
		if reported[c.Scope.File] {
			continue // one endpoint that makes a transport for each session, or in several ways
		}
		name, _ := s.calls(c, transports[s.lang]...)
		name = cmp.Or(name, "run")
		why := "nothing checks the Host or Origin header of its requests, so a web page in a browser on the same machine can send them (DNS rebinding)"
		switch {
		case guards.compares || guards.authenticates || s.guardsLoopback(name):
			continue
		case s.isTrue(c.Option("enableDnsRebindingProtection")):
			why = "enableDnsRebindingProtection is set, but neither allowedHosts nor allowedOrigins: without them it checks nothing"
		case guards.optional != nil:
			why = "its check of a credential lets everybody in where the server was given none, and " + why
		}
		s.report(sink.OpenListener, c, strings.TrimPrefix(lastWord(name), "."), why)
		reported[c.Scope.File] = true
	}
	if !guards.authenticates && !guards.compares {
		s.readBindings()
	}
	s.readRoutes()
	s.readSharing()
}

// servers are the methods of transports and of servers that answer a request.
var servers = callgraph.Names("ServeHTTP handleRequest handlePostMessage HandleMessage handle_request handle_post_message")

// readRoutes notes a route to the endpoint that asks for no credential beside one that does:
// r.Any("/mcp", auth(), serve); r.Any("/mcp_message", serve).
func (s *surveyor) readRoutes() {
	type endpoint struct {
		in     *ir.Func
		served string // what answers its requests, as it is called
	}
	guarded, open := map[endpoint]string{}, map[*ir.Expr]endpoint{}
	for _, c := range s.g.Program().Calls {
		path := c.Arg(0)
		if len(c.Args) < 2 || !c.X.Is(ir.Attr) || !path.Is(ir.String) || !strings.HasPrefix(path.Text, "/") {
			continue
		}
		var run []ir.Stmt
		for _, a := range c.Args[1:] {
			if a.Value.Is(ir.Name, ir.Attr) { // app.post("/mcp", auth, serve)
				a.Value = &ir.Expr{Kind: ir.Call, X: a.Value, Scope: a.Value.Scope}
			}
			run = append(run, ir.Stmt{X: a.Value})
		}
		to := endpoint{in: c.Scope.Owner()}
		serves := func(e *ir.Expr) bool {
			if e.X.Is(ir.Attr) {
				to.served = lastName(e.X.X)
			}
			return servers[e.Calls()]
		}
		switch {
		case !s.g.Reaches(run, maxRoute, serves):
		case s.g.Reaches(run, maxRoute, asksCredential):
			guarded[to] = path.Text
		default:
			open[c] = to
		}
	}
	for _, c := range s.g.Program().Calls {
		if to, ok := open[c]; ok && guarded[to] != "" {
			s.report(sink.OpenListener, c, lastName(c.X), "its route "+c.Arg(0).Text+" does not ask for a credential, and "+guarded[to]+" does: whoever can reach the one needs none for the other")
		}
	}
}

// maxRoute is how many calls, one inside the other, are followed from a route.
const maxRoute = 3

// asksCredential reports whether an expression reads a credential of a request, or lets nobody in without one.
func asksCredential(e *ir.Expr) bool {
	name, _ := headerRead(e)
	return credentialHeader.MatchString(name) || hasAnySuffix(lastName(e.Target()), authenticators)
}

// entries returns the calls that make HTTP endpoints.
func (s *surveyor) entries() (out []*ir.Expr) {
	listens := s.lang != "typescript"
	for _, c := range s.g.Program().Calls {
		if _, ok := s.calls(c, ".listen", "Bun.serve", "Deno.serve", "@hono/node-server.serve"); ok {
			listens = true
		}
		if name, ok := s.calls(c, transports[s.lang]...); ok {
			if s.lang != "typescript" || !strings.HasPrefix(name, ".") && strings.Contains(name, "/") {
				out = append(out, c)
			}
		} else if name, ok := s.calls(c, ".run", ".run_async"); ok && s.lang == "python" && !eventLoops[name] && s.runsOverHTTP(c) {
			out = append(out, c)
		} else if _, ok := s.calls(c, ".start"); ok && s.lang == "typescript" { // of the package fastmcp
			if t := s.constants(c.Option("transportType"), 0); slices.Contains(t, "httpStream") || slices.Contains(t, "sse") {
				out, listens = append(out, c), true
			}
		}
	}
	if !listens {
		return nil
	}
	return out
}

// eventLoops run a function, and no server: asyncio.run(main()).
var eventLoops = callgraph.Names("asyncio.run anyio.run trio.run uvloop.run subprocess.run")

// runsOverHTTP reports whether mcp.run(transport="http") names such a transport.
func (s *surveyor) runsOverHTTP(c *ir.Expr) bool {
	x := c.Option("transport")
	if x == nil && len(c.Args) == 1 && c.Args[0].Name == "" {
		x = c.Args[0].Value
	}
	if x == nil {
		return false
	}
	known := s.constants(x, 0)
	if len(known) == 0 || s.g.Definition(x).Is(ir.Name) { // an option: choices=["stdio", "sse"], also of a parameter with a default
		for _, c := range s.g.Program().Calls {
			if option := c.Option("choices"); option != nil {
				known = append(known, s.constants(option, 0)...)
			} else if _, ok := s.calls(c, "Choice"); ok && len(c.Args) > 0 {
				known = append(known, s.constants(c.Args[0].Value, 0)...)
			}
		}
	}
	return slices.ContainsFunc(known, func(t string) bool { return slices.Contains(overHTTP, t) })
}

// hasAllowedHosts reports whether a transport is told which hosts or origins to let in.
func (s *surveyor) hasAllowedHosts(c *ir.Expr) bool {
	options := []string{"allowedHosts", "allowedOrigins", "allowed_hosts", "allowed_origins", "security_settings", "transport_security", "middleware"}
	return (s.lang != "typescript" || c.Option("enableDnsRebindingProtection") != nil) &&
		slices.ContainsFunc(options, func(name string) bool { return c.Option(name) != nil })
}

// guards are what a program does to requests before they reach its endpoint.
type guards struct {
	compares      bool // the header Host or Origin, and refuses some
	authenticates bool // it refuses requests without a credential
	// optional is a function that refuses requests without a credential only where the server was given one, else nil.
	optional *ir.Func
	// forgiving is a function that refuses a wrong credential, but no request without one, else nil.
	forgiving *ir.Func
}

// readGuards looks for a header that is compared in a function that refuses requests, and for what packages offer.
func (s *surveyor) readGuards() (g guards) {
	for _, c := range s.g.Program().Calls {
		if slices.Contains(appMakers, lastName(c.X)) && !s.isLocal(c.Option("host")) && c.Option("allowedHosts") == nil {
			continue
		}
		mentions := append(slices.Clone(s.namesOf(c, guardians)), lastName(c.X))
		for _, a := range c.Args { // app.add_middleware(TrustedHostMiddleware), Middleware(TrustedHostMiddleware)
			mentions = append(mentions, lastName(a.Value))
		}
		for _, n := range mentions {
			g.compares = g.compares || hasAnySuffix(n, protectors)
			g.authenticates = g.authenticates || hasAnySuffix(n, authenticators)
		}
		if x := c.Option("auth"); x != nil && x.Text != "None" {
			if _, ok := s.calls(c, "FastMCP", "MCPServer"); ok {
				g.authenticates = true
			}
		}
		if x := c.Option("authenticate"); x != nil {
			g.authenticates = true
		}
		if s.hasAllowedHosts(c) && (c.Option("security_settings") != nil || c.Option("transport_security") != nil) {
			g.compares = true
		}
	}
	for _, fn := range s.g.Program().Funcs {
		h := headersIn(fn.Body)
		if h.refuses = h.refuses || (h.origin || h.credential) && s.refusesByHelper(fn); !h.refuses {
			continue
		}
		if h.credential && s.isOptional(fn) {
			g.optional, h.credential = cmp.Or(g.optional, fn), false
		}
		s.addGuard(&g, fn, h)
		ir.EachCondition(fn.Body, func(st *ir.Stmt) { // if (!isAllowed(req)) res.status(403).end()
			for _, asked := range s.calleesIn([]ir.Stmt{{X: st.Cond}}) {
				if asked.Func == nil {
					continue
				}
				for _, reader := range append(s.calleesIn(asked.Func.Body), callgraph.Callee{Func: asked.Func}) { // const key = bearer(req)
					if reader.Func != nil && !reader.Guess {
						if h := headersIn(reader.Func.Body); !h.refuses {
							s.addGuard(&g, asked.Func, h)
						}
					}
				}
			}
		})
	}
	return g
}

// refusesByHelper reports whether a function refuses requests, behind a condition, by another one: if (!ok) return unauthorized(res).
func (s *surveyor) refusesByHelper(fn *ir.Func) (refuses bool) {
	ir.EachCondition(fn.Body, func(st *ir.Stmt) {
		refuses = refuses || s.g.Reaches(st.Arms[0].Body, 1, isRefusal)
	})
	return refuses
}

// addGuard adds what a function reads of a request's headers by which requests are refused.
func (s *surveyor) addGuard(g *guards, fn *ir.Func, h headers) {
	g.compares = g.compares || h.origin && s.comparesOrigin(fn)
	if h.credential && s.isForgiving(fn) {
		g.forgiving = cmp.Or(g.forgiving, fn)
	} else {
		g.authenticates = g.authenticates || h.credential
	}
}

var (
	// insiders are functions that look for a text inside of another one, prefixers those that look at its beginning.
	insiders  = callgraph.Names("Contains includes indexOf search")
	prefixers = callgraph.Names("startsWith startswith HasPrefix")
	// ofEach are functions that ask something of each element of a list.
	ofEach = callgraph.Names("some every find filter any all ContainsFunc")
)

// comparesOrigin reports whether a function compares Host or Origin with more than a text that the source fixes which the header holds, or begins
// with and which no port or path ends: localhost.example.com does so, too.
func (s *surveyor) comparesOrigin(fn *ir.Func) bool {
	mentioned, inside, other := false, false, false
	var look func(e *ir.Expr) bool
	look = func(e *ir.Expr) bool {
		switch {
		case e.Kind == ir.Call && ofEach[e.Calls()]:
			for _, a := range e.Args {
				if a.Value.Is(ir.Function) {
					ir.EachExpr(a.Value.Func.Body, func(x *ir.Expr) { x.Holds(look) })
				}
			}
		case !e.Is(ir.Call, ir.Index, ir.Other) || !s.mentionsOrigin(e):
		case e.Kind == ir.Call && e.X.Is(ir.Attr) && (insiders[e.X.Text] || prefixers[e.X.Text]) && len(e.Args) > 0:
			texts := s.constants(e.Args[len(e.Args)-1].Value, 0)
			fixed := len(texts) > 0 && !slices.ContainsFunc(texts, func(t string) bool { return prefixers[e.X.Text] && endsInDelimiter(t) })
			inside, other = inside || fixed, other || !fixed
		case e.Kind == ir.Call || len(asked(e)) > 0:
			other = other || !slices.ContainsFunc(e.Args, func(a ir.Arg) bool {
				return a.Value != nil && (a.Value.Kind == ir.Literal || a.Value.Kind == ir.String && a.Value.Text == "")
			})
		}
		return false
	}
	ir.EachStmt(fn.Body, func(st *ir.Stmt) {
		x := st.Cond
		if st.Step == ir.Return {
			x = st.X
		}
		mentioned = mentioned || s.mentionsOrigin(x)
		x.Holds(look)
	})
	return other || mentioned && !inside
}

// besideHost are members of a request, or of its address, that do not depend on its host.
var besideHost = callgraph.Names("pathname path search searchParams query hash method url")

// mentionsOrigin reports whether the value of an expression depends on Host or Origin. What is only called so is what it was made of: a
// parameter of a tool can be a host, too.
func (s *surveyor) mentionsOrigin(e *ir.Expr) bool {
	return s.g.Looks(e, func(x *ir.Expr) (found, into bool) {
		return isOrigin(x) && (!x.Is(ir.Name) || s.g.Definition(x) == x), !x.Is(ir.Attr) || !besideHost[x.Text]
	})
}

// isOrigin reports whether an expression is the header Host or Origin, or called so.
func isOrigin(e *ir.Expr) bool {
	name, of := headerRead(e)
	if !e.Is(ir.Attr) && name != "" && !holdsHeaders(of) {
		return false // a member of the body
	}
	name = cmp.Or(name, lastName(e))
	return strings.EqualFold(name, "host") || strings.EqualFold(name, "origin")
}

// requestNames are names of requests, which give their headers by name: req.get("host").
var requestNames = callgraph.Names("req request r c ctx context")

// holdsHeaders reports whether an expression is a request or is made of what is named as headers are: dict(scope["headers"]).
func holdsHeaders(of *ir.Expr) bool {
	return requestNames[lastName(of)] || of.Holds(func(x *ir.Expr) bool { return isHeaders(x) || x.Is(ir.String) && x.Text == "headers" })
}

// endsInDelimiter reports whether a text ends in what ends a host, as "http://localhost:" does.
func endsInDelimiter(text string) bool {
	return text == "" || strings.ContainsAny(text[len(text)-1:], ":/")
}

func hasAnySuffix(name string, suffixes []string) bool {
	return name != "" && slices.ContainsFunc(suffixes, func(s string) bool {
		return strings.HasSuffix(name, s) || strings.HasSuffix(name, s+"()")
	})
}

// readBindings notes listeners that every machine of the network reaches: where they are bound, or where the address that they are
// bound to gets its value, as a setting, the default of an option or a field of a configuration.
func (s *surveyor) readBindings() {
	noted := map[*ir.File]bool{} // one listener of a file, which is written in several places
	note := func(e *ir.Expr, where string) {
		if noted[e.Scope.File] {
			return
		}
		noted[e.Scope.File] = true
		s.report(sink.WideListener, e, "listen", where+", and nothing asks for a credential: everyone who can reach the machine can call its tools")
	}
	wide := func(at *ir.Expr, name string, address *ir.Expr) {
		if isAddressName(name) && s.isWide(address) {
			note(at, onAllAddresses)
		}
	}
	for _, c := range s.g.Program().Calls {
		if _, ok := s.calls(c, ".listen"); ok && s.lang == "typescript" && len(c.Args) > 0 {
			if where := s.nodeBinding(c); where != "" {
				note(c, where)
				continue
			}
		}
		if _, ok := s.calls(c, "net/http.ListenAndServe", ".Start", "net.Listen"); ok && s.lang == "go" && (s.isWide(c.Arg(0)) || s.isWide(c.Arg(1))) {
			note(c, onAllAddresses)
		}
		if isAddressOption(c) && s.isWide(defaultOfOption(c)) {
			note(c, onAllAddresses)
			continue
		}
		for _, a := range c.Args {
			wide(c, a.Name, a.Value)
		}
	}
	for _, o := range s.g.Program().Objects {
		for _, a := range o.Args {
			wide(a.Value, a.Name, a.Value)
		}
	}
	s.g.Program().EachSet(func(st *ir.Stmt) { // mcp.settings.host = …
		if st.Target.Kind == ir.Attr && st.X.Kind != ir.Name {
			wide(st.Target, st.Target.Text, st.X)
		}
	})
	for _, c := range s.g.Program().Classes { // host: str = …
		for _, f := range c.Noted {
			wide(f.Value, f.Name, f.Value)
		}
	}
}

const onAllAddresses = "it listens on all addresses of the machine"

// addressName is what the address of a listener is called.
var addressName = lazyregexp.New(`(?i)^-*(\w*[_-])?(host|hostname|bind|bind[_-]?(address|addr|host)|listen([_-]?(address|addr|host))?|server[_-]?(address|host)|addr|http[_-]?(host|addr))$|[a-z](Host|BindAddress|ListenAddr)$`)

func isAddressName(name string) bool { return name != "" && addressName.MatchString(name) }

// isAddressOption reports whether a call defines an option for an address: parser.add_argument("--host", default=…), flag.String("host", …, "").
func isAddressOption(c *ir.Expr) bool {
	return slices.ContainsFunc(c.Args, func(a ir.Arg) bool {
		return a.Value != nil && a.Value.Kind == ir.String && a.Name == "" && len(a.Value.Text) < 40 && isAddressName(a.Value.Text)
	})
}

func defaultOfOption(c *ir.Expr) *ir.Expr {
	if d := c.Option("default"); d != nil {
		return d
	}
	for i, a := range c.Args {
		if i > 0 && a.Name == "" && a.Value != nil && a.Value.Kind == ir.String && isEverywhere(a.Value.Text) {
			return a.Value
		}
	}
	return nil
}

// isWide reports whether an expression can be an address that stands for all of the machine.
func (s *surveyor) isWide(e *ir.Expr) bool {
	if e == nil {
		return false
	}
	if d := s.g.Definition(e); d.Is(ir.Template) || d.Calls() == "Sprintf" { // ":" + strconv.Itoa(port): what it begins with
		e = d.Arg(0)
	}
	return slices.ContainsFunc(s.constants(e, 0), isEverywhere)
}

func isEverywhere(host string) bool {
	return host == "0.0.0.0" || host == "::" || host == "[::]" || strings.HasPrefix(host, "0.0.0.0:") || strings.HasPrefix(host, "[::]:") || host == ":" || len(host) > 1 && host[0] == ':' && strings.IndexByte("0123456789%", host[1]) >= 0
}

// nodeBinding says how a listener of Node.js is bound too widely, "" for one that is not.
func (s *surveyor) nodeBinding(c *ir.Expr) string {
	port, host := c.Arg(0), c.Arg(1)
	switch {
	case port != nil && port.Kind == ir.Object:
		host = port.Member("host")
	case host != nil && host.Kind == ir.Function:
		host = nil
	}
	switch {
	case s.isWide(host):
		return onAllAddresses
	case host != nil || s.isPath(port) || len(c.Args) == 1 && c.Args[0].Spread:
		return ""
	}
	return "it listens without a host, which means on all addresses of the machine"
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
		origin, credentials := c.Option("origin"), c.Option("credentials")
		if middleware {
			origin, credentials = c.Option("allow_origins"), c.Option("allow_credentials")
		}
		if !s.isTrue(credentials) || origin == nil {
			continue
		}
		isAny := func(x *ir.Expr) bool { return x.Is(ir.String) && x.Text == "*" } // also where nothing is set: os.getenv("ORIGINS", "*").split(",")
		if s.isTrue(origin) || slices.Contains(s.constants(origin, 0), "*") || s.g.Finds(origin, isAny) {
			s.report(sink.OpenSharing, c, "CORS", "every origin may read its answers, with the credentials of the user's browser")
		}
	}
}

func lastName(e *ir.Expr) string {
	if e.Is(ir.Name, ir.Attr) {
		return e.Text
	}
	return ""
}

var lastWord = callgraph.LastWord
