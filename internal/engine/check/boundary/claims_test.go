package boundary

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gauntlet/trace"
	"gauntlet/trust"
)

// pathsOf finds the paths that a finding is about.
var pathsOf = regexp.MustCompile(`(?:claims|difference is|uses|negotiated:) ("[^"]*"(?:, "[^"]*")*)`)

func TestLabelledClaims(t *testing.T) {
	for _, c := range cases(t, "claims.txt", "want") {
		t.Run(c.name, func(t *testing.T) {
			tr, b := claimed(t, c.lines)
			var got []string
			for _, f := range found(t, tr, b) {
				m := pathsOf.FindStringSubmatch(f.Message)
				if m == nil {
					t.Fatalf("no paths in %q", f.Message)
				}
				paths := strings.Split(strings.ReplaceAll(m[1], `"`, ""), ", ")
				slices.Sort(paths)
				got = append(got, fmt.Sprintf("want %s %d %s", f.Rule, f.Location.Seq, strings.Join(paths, " ")))
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s\n got %q\nwant %q", strings.Join(c.lines, "\n"), got, c.want)
			}
		})
	}
}

// claimed plays the lines of a case of claims.txt.
func claimed(t *testing.T, lines []string) (*trace.Trace, trust.Boundary) {
	t.Helper()
	r := newRecording(t)
	var b trust.Boundary
	negotiation := func() *trust.Negotiation {
		if b.Negotiation == nil {
			b.Negotiation = &trust.Negotiation{}
		}
		return b.Negotiation
	}
	client, credential, server := "client", "", "main"
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		head, result, _ := strings.Cut(rest, " = ")
		if verb == "bare" || verb == "legacy" {
			result = strings.TrimPrefix(rest, "= ")
		}
		before := len(r.trace.Messages)
		switch verb {
		case "target":
			negotiation().Target = trust.Name{Text: rest}
		case "negotiated":
			negotiation().Declared = true
			for _, name := range strings.Fields(rest) {
				b.Negotiation.Negotiated = append(b.Negotiation.Negotiated, trust.Name{Text: name})
			}
		case "client":
			client = rest
		case "credential":
			credential = rest
		case "on":
			server = rest
		case "init":
			revision, capabilities, _ := strings.Cut(rest, " ")
			r.ask(server, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s}`, revision, capabilities), fmt.Sprintf(`{"protocolVersion":%q}`, revision))
		case "ask":
			r.ask(server, "tools/call", fmt.Sprintf(`{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":%q},"io.modelcontextprotocol/clientCapabilities":%s}}`, client, head), result)
		case "bare", "legacy":
			r.ask(server, "tools/call", `{"name":"t"}`, result)
		case "server":
			method, params, _ := strings.Cut(rest, " ")
			r.server(server, method, params, "{}")
		default:
			t.Fatalf("%s", line)
		}
		for i := before; i < len(r.trace.Messages) && credential != ""; i++ {
			r.trace.Messages[i].HTTP = &trace.HTTP{Credential: credential}
		}
	}
	return &r.trace, b
}
