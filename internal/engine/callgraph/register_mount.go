package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// mounts are methods by which FastMCP takes the tools of another server, under a prefix.
var mounts = []string{"mount", "import_server"}

// prefixesOf returns the prefixes under which servers are mounted, by the call that makes the server.
func (rg *registrar) prefixesOf() map[*ir.Expr]string {
	if rg.prefixes != nil || rg.conv.Language != "python" {
		return rg.prefixes
	}
	rg.prefixes = map[*ir.Expr]string{}
	for _, method := range mounts {
		for _, c := range rg.CallsOf(method) {
			if c.X.Kind != ir.Attr {
				continue
			}
			prefix, server := "", (*ir.Expr)(nil)
			for _, a := range c.Args {
				v := onlyValue(rg.evaluate(a.Value, nil))
				switch {
				case v.kind == constant && slices.Contains([]string{"", "prefix", "namespace"}, a.Name):
					prefix = v.text
				case a.Name == "" || a.Name == "server":
					server = a.Value
				}
			}
			if prefix == "" || server == nil {
				continue
			}
			if at := rg.Definition(server); at.Kind == ir.Call {
				rg.prefixes[at] = prefix
			}
		}
	}
	return rg.prefixes
}

// mounted returns the name under which a tool of a server is listed: that of the server that it is mounted in, where it is.
func (rg *registrar) mounted(server *ir.Expr, name string) string {
	if prefix := rg.prefixesOf()[rg.Definition(server)]; prefix != "" {
		return prefix + "_" + name
	}
	return name
}
