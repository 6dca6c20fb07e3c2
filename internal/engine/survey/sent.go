package survey

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// mailbox is an address of mail that the source fixes.
var mailbox = lazyregexp.New(`^[^\s@<>]+@[^\s@<>]+\.[a-zA-Z]{2,}$`)

// example is a mailbox or host that nobody has.
var example = lazyregexp.New(`(?i)(^|[@.])(example\.(com|org|net)|localhost|test|invalid|your-?domain\.[a-z]+)$`)

// collectors are services that show whoever made an address what is sent to it.
var collectors = lazyregexp.New(`(?i)^https?://([^/@]*\.)?(webhook\.site|requestbin\.(com|net)|pipedream\.net|requestcatcher\.com|hookbin\.com|beeceptor\.com|interact\.sh|oast\.(fun|pro|live|site|online|me)|burpcollaborator\.net|ngrok\.io|ngrok-free\.app|serveo\.net|trycloudflare\.com|canarytokens\.com)([/:?]|$)`)

// readCopies notes copies of what passes by that go to an address which no caller named.
func (s *surveyor) readCopies() {
	fits := s.filesWith("bcc", "Bcc", "BCC")
	note := func(at, value *ir.Expr) {
		if value == nil || !fits[value.Scope.File] {
			return
		}
		for _, text := range s.constants(value, 0) {
			if mailbox.MatchString(text) && !example.MatchString(text) {
				s.report(sink.HiddenCopy, at, "bcc", "a blind copy of each message goes to "+text+", which is fixed in the source and named by no parameter")
				return
			}
		}
	}
	if len(fits) > 0 {
		for _, e := range slices.Concat(s.g.Program().Objects, s.g.Program().Calls) {
			for _, a := range e.Args {
				if strings.EqualFold(a.Name, "bcc") {
					note(e, a.Value)
				}
			}
		}
		s.g.Program().EachSet(func(st *ir.Stmt) {
			if strings.EqualFold(st.Target.Text, "bcc") {
				note(st.X, st.X)
			}
		})
	}
	s.readCollectors()
}

// readCollectors notes requests to services that collect what is sent to them.
func (s *surveyor) readCollectors() {
	for _, c := range s.callsIn("webhook.site", "requestbin", "pipedream", "requestcatcher", "hookbin", "beeceptor", "interact.sh", "oast.", "burpcollaborator", "ngrok", "serveo", "trycloudflare", "canarytokens") {
		for _, a := range c.Args {
			for _, text := range s.constants(a.Value, 0) {
				if collectors.MatchString(text) && s.isRequest(c) {
					s.report(sink.HiddenCopy, c, "collector", "it sends a request to "+hostIn(text)+", a service that collects requests for whoever created the address")
				}
			}
		}
	}
}

func hostIn(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// readSentEnvironment notes requests that carry the environment as a whole.
func (s *surveyor) readSentEnvironment() {
	for _, c := range s.callsIn("process.env", "os.environ", "os.Environ") {
		for _, a := range c.Args {
			if s.g.Looks(a.Value, s.isWholeEnvironment) && s.isRequest(c) {
				s.report(sink.SentEnv, c, "environment", "all environment variables, including every credential in them, are sent in a request")
				break
			}
		}
	}
}

// isWholeEnvironment says of an expression whether it is the environment as a whole. One variable of it is not.
func (s *surveyor) isWholeEnvironment(e *ir.Expr) (found, into bool) {
	name, reads := s.g.Variable(e, nil)
	// client.connect(new StdioClientTransport({ command, env: process.env })) sends requests to a program that gets the environment as every child does.
	row, _ := s.rowOf(e)
	leave := reads && name != "copy" && name != "items" || row.Kind() == "spawn" || e.Is(ir.Call) && s.onlyPicks(e)
	return name == "*", !leave
}

// onlyPicks reports whether a call enters functions of the program that take single members of what they are given:
// proxySettings(process.env).
func (s *surveyor) onlyPicks(call *ir.Expr) bool {
	callees := s.g.Callees(call, nil)
	return len(callees) > 0 && !slices.ContainsFunc(callees, func(c callgraph.Callee) bool {
		if c.Func == nil || len(c.Func.Params) == 0 {
			return true
		}
		named, picked := 0, 0
		isParam := func(e *ir.Expr) bool {
			return e.Is(ir.Name) && slices.ContainsFunc(c.Func.Params, func(p *ir.Param) bool { return p.Name == e.Text })
		}
		eachPart(c.Func.Body, func(x *ir.Expr) {
			if isParam(x) {
				named++
			}
			if x.Is(ir.Attr, ir.Index) && isParam(x.X) {
				picked++
			}
		})
		return named == 0 || named != picked
	})
}

// readTokens notes requests to other servers that carry the credential which the caller of this one sent.
func (s *surveyor) readTokens() {
	for _, c := range s.callsIn("uthorization") {
		if x := headerGiven(c, "authorization"); x != nil && s.g.Finds(x, isCredentialOfRequest) && s.isRequest(c) {
			s.report(sink.PassedToken, c, "Authorization", "the credential that a client sent to this server is forwarded to another server, for which it was not issued")
		}
	}
}

// headerGiven returns the value of a header that a call is given in a table of headers, or nil.
func headerGiven(c *ir.Expr, name string) (out *ir.Expr) {
	(&ir.Expr{Args: c.Args}).Holds(func(e *ir.Expr) bool {
		if e.Kind == ir.Object {
			for _, a := range e.Args {
				if strings.EqualFold(a.Name, name) {
					out = a.Value
				}
			}
		}
		return out != nil
	})
	return out
}

// isCredentialOfRequest says of an expression whether it is the header by which a client authenticates.
func isCredentialOfRequest(e *ir.Expr) bool {
	name, of := headerRead(e)
	return strings.EqualFold(name, "authorization") && (e.Calls() == "header" || isHeaders(of) && belongsToRequest(of))
}

// belongsToRequest reports whether headers are named as those of a request that came in.
func belongsToRequest(e *ir.Expr) bool {
	if e.Kind != ir.Attr || e.X == nil {
		return e.Kind == ir.Name && (strings.HasPrefix(strings.ToLower(e.Text), "req") || strings.HasPrefix(strings.ToLower(e.Text), "incoming"))
	}
	switch strings.ToLower(e.X.Text) {
	case "req", "request", "requestinfo", "request_info", "r", "http_request":
		return true
	}
	return false
}
