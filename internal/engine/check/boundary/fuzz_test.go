package boundary

import (
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// FuzzChecks plays two calls whose messages are whatever a stranger sends. No check breaks, and what
// a finding quotes stands where it says.
func FuzzChecks(f *testing.F) {
	f.Add(`{"params":{"name":"t","arguments":{"x":"a secret sentence"}}}`, `{"result":{"content":[{"text":"a secret sentence"}]}}`, "a secret sentence")
	f.Add(`{"params":{"arguments":["%61 secret sentence","YSBzZWNyZXQgc2VudGVuY2U"],"_meta":{"io.modelcontextprotocol/clientCapabilities":{"roots":{},"x":{"y":true}}}}}`,
		`{"result":{"resultType":"task","inputRequests":{"a":{"method":"roots/list"}},"isError":true,"s":{"a":["a secret sentence",1.0]}}}`, "t")
	f.Fuzz(func(t *testing.T, request, result, name string) {
		tr := &trace.Trace{}
		rec := trace.NewRecorder(func(m *trace.Message) error { tr.Messages = append(tr.Messages, *m); return nil }, trace.RecorderOptions{})
		for _, m := range []trace.Message{
			{Server: "p", Direction: trace.ToServer, Kind: trace.Request, ID: "1", Method: "tools/call", Raw: request},
			{Server: "p", Direction: trace.ToClient, Kind: trace.Response, ID: "1", Raw: result},
			{Server: "q", Direction: trace.ToServer, Kind: trace.Request, ID: "2", Method: "tools/call", Raw: request},
			{Server: "q", Direction: trace.ToClient, Kind: trace.Request, ID: "3", Method: "elicitation/create", Raw: request},
			{Server: "q", Direction: trace.ToClient, Kind: trace.Response, ID: "2", Raw: result},
			{Server: "p", Direction: trace.ToServer, Kind: trace.Request, ID: "4", Method: "resources/read", Raw: request},
		} {
			if _, err := rec.Record(m); err != nil {
				t.Fatal(err)
			}
		}
		b := trust.Boundary{Sanitizers: []trust.Name{{Text: name}}, Given: []string{name}, Limits: trust.Limits{MinLength: 4},
			Negotiation: &trust.Negotiation{Declared: true, Negotiated: []trust.Name{{Text: name}}}}
		res := check.Run(&catalog.Catalog{}, Checks(), check.Options{Trace: check.Recording{Trace: tr, Boundary: b}})
		for _, p := range res.Problems {
			if p.Kind == "failed" {
				t.Fatalf("%s", p.Message)
			}
		}
		var tree rawjson.Tree
		for _, found := range res.Findings {
			m := tr.At(found.Location.Seq)
			if m == nil || found.Evidence.Raw == "" {
				continue
			}
			if tree.Parse(m.Raw, 0) != nil {
				t.Fatalf("a finding in a message that is no JSON: %q", m.Raw)
			}
			stands := false
			for v := range tree.Root().All() {
				if e := found.Evidence; v.Pointer() == found.Location.Pointer && strings.HasPrefix(v.Text()[min(e.Start, len(v.Text())):], e.Raw) {
					stands = true
				}
			}
			if !stands {
				t.Errorf("%s: %q does not stand at %s of %q", found.Rule, found.Evidence.Raw, found.Location.Pointer, m.Raw)
			}
		}
	})
}
