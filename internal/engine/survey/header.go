package survey

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// headers are what a function reads of a request's headers, and whether it refuses requests.
type headers struct {
	origin     bool // Host or Origin
	credential bool // Authorization, or a key of the server's own
	refuses    bool
	addresses  []*ir.Expr // headers whose name says that they hold an address
	names      []string   // of those
}

var (
	credentialHeader = lazyregexp.New(`(?i)^(authorization|x-api-key|x-auth-token|x-access-token|api-key|mcp-proxy-auth.*)$`)
	// addressHeader is a header of the server's own that names where its service is. Those that proxies set are others.
	addressHeader = lazyregexp.New(`(?i)^x-.*(url|host|endpoint|server|instance|domain|base)s?$`)
	proxyHeader   = lazyregexp.New(`(?i)^x-(forwarded|original|real|envoy|amz|azure|ms)\b`)
)

// headersIn reads a body, without the functions inside it that are read by themselves.
func headersIn(body []ir.Stmt) (h headers) {
	eachPart(body, h.note)
	return h
}

var refusals = []string{"401", "403", "421", "400"}
var refusalNames = []string{"StatusForbidden", "StatusUnauthorized", "StatusMisdirectedRequest", "StatusBadRequest", "HTTP_401_UNAUTHORIZED", "HTTP_403_FORBIDDEN", "Forbidden", "Unauthorized"}

// isRefusal reports whether an expression is the status of an answer that refuses a request.
func isRefusal(e *ir.Expr) bool {
	return e.Is(ir.Literal) && slices.Contains(refusals, e.Text) || e.Is(ir.Attr, ir.Name) && slices.Contains(refusalNames, e.Text)
}

func (h *headers) note(e *ir.Expr) {
	h.refuses = h.refuses || isRefusal(e)
	if name, of := headerRead(e); e.Kind == ir.Call || isHeaders(of) || name == "Host" && of.Is(ir.Name) && len(of.Text) < 8 {
		h.noteHeader(e, name)
	}
}

// headerRead returns the name of the header that an expression reads, and of what, if that holds headers: req.headers.host, r.Header.Get("Host"). For
// anything else the name is that of a member, or "".
func headerRead(e *ir.Expr) (name string, of *ir.Expr) {
	key := e.Arg(0)
	switch {
	case e.Is(ir.Attr):
		return e.Text, e.X
	case e.Is(ir.Index) && len(e.Args) == 1 && key.Is(ir.String):
		return key.Text, e.X
	case e.Is(ir.Call) && e.X.Is(ir.Attr) && headerGetters[e.X.Text] && key.Is(ir.String):
		return key.Text, e.X.X
	}
	return "", nil
}

var headerGetters = callgraph.Names("get header Get getHeader GetHeader getlist")

// isHeaders reports whether an expression is named as the headers of a request are.
func isHeaders(e *ir.Expr) bool {
	return e.Is(ir.Attr, ir.Name) && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(e.Text), "s"), "header")
}

func (h *headers) noteHeader(e *ir.Expr, name string) {
	switch {
	case isOrigin(e):
		h.origin = true
	case credentialHeader.MatchString(name):
		h.credential = true
	case addressHeader.MatchString(name) && !proxyHeader.MatchString(name):
		h.addresses, h.names = append(h.addresses, e), append(h.names, name)
	}
}

// readHeaderAddresses notes headers of requests that become the address of the service which the server asks with its own
// credential: whoever can send a request chooses where the credential goes.
func (s *surveyor) readHeaderAddresses() {
	for _, fn := range s.g.Program().Funcs {
		h := headersIn(fn.Body)
		compares := func(x *ir.Expr) bool {
			return x.Is(ir.Attr, ir.Name) && slices.Contains(hostWords, x.Text) || slices.ContainsFunc(asked(x), s.isHostOfAddress)
		}
		if len(h.addresses) == 0 || s.g.Reaches(fn.Body, 4, compares) {
			continue
		}
		for i, e := range h.addresses {
			isKey := func(x *ir.Expr) bool {
				return slices.ContainsFunc(asked(x), func(key *ir.Expr) bool {
					return s.g.Finds(key, func(k *ir.Expr) bool { return k == e })
				})
			}
			if s.g.Reaches(fn.Body, 0, isKey) {
				continue
			}
			s.report(sink.HeaderAddress, e, h.names[i], "the header "+h.names[i]+" of a request names the host that the server asks, and nothing compares it: whoever sends a request chooses where the server's credentials go, and which machine of its network is asked")
		}
	}
}

// asked returns what an expression asks a table or a list for, or compares: table.get(key), table[key], list.includes(key), key == other.
func asked(x *ir.Expr) []*ir.Expr {
	switch {
	case x.Kind == ir.Index && len(x.Args) == 1 && x.X.Is(ir.Name, ir.Attr),
		x.Kind == ir.Call && x.X.Is(ir.Attr) && len(x.Args) > 0 && slices.Contains([]string{"get", "has", "includes"}, x.X.Text):
		return []*ir.Expr{x.Args[0].Value}
	case x.Kind == ir.Other && len(x.Args) == 2 && slices.Contains([]string{"==", "===", "!=", "!==", "in", "not in"}, x.Text):
		return []*ir.Expr{x.Args[0].Value, x.Args[1].Value}
	}
	return nil
}

// isHostOfAddress reports whether an expression is the host of an address that was taken apart: new URL(address).host.
func (s *surveyor) isHostOfAddress(e *ir.Expr) bool {
	if e == nil {
		return false
	}
	e = s.g.Definition(e)
	return e.Is(ir.Attr) && (e.Text == "host" || e.Text == "origin") && s.g.Definition(e.X).Is(ir.New) && s.g.Definition(e.X).X.Text == "URL"
}

// hostWords are what takes addresses apart: a function that asks for one of them can refuse a host.
var hostWords = []string{"hostname", "netloc", "Hostname", "is_private", "IsPrivate", "IsLoopback", "is_loopback", "ipaddress", "ParseIP", "private-ip", "ipaddr", "isPrivate"}
