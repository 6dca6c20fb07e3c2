package check_test

import (
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

// contentOf returns the content hash of the only finding of k.
func contentOf(t *testing.T, k *check.Check, text string) string {
	t.Helper()
	found := check.Run(parse(t, text), []*check.Check{k}, check.Options{}).Findings
	if len(found) != 1 || len(found[0].Content) != 64 {
		t.Fatalf("%d findings in %s, want one with a content hash", len(found), text)
	}
	return found[0].Content
}

// The content hash of a finding is that of its whole definition.
func TestContentOfOneDefinition(t *testing.T) {
	const text = `{"tools":[{"name":"add","description":"canary7f3a","inputSchema":{"type":"object"}}]}`
	want := contentOf(t, sees, text)
	if direct := finding.ContentHash(`{"description":"canary7f3a","inputSchema":{"type":"object"},"name":"add"}`); want != direct {
		t.Errorf("content hash %s, want that of the canonical definition, %s", want, direct)
	}
	for _, tt := range []struct {
		name, text string
		same       bool
	}{
		{"other white space", `{ "tools" : [ {"name":"add", "description":"canary7f3a", "inputSchema":{"type":"object"}} ] }`, true},
		{"another order of members", `{"tools":[{"inputSchema":{"type":"object"},"description":"canary7f3a","name":"add"}]}`, true},
		{"another spelling", `{"tools":[{"name":"\u0061dd","description":"canary7f3a","inputSchema":{"type":"object"}}]}`, true},
		{"a neighbour", `{"tools":[{"name":"sub"},{"name":"add","description":"canary7f3a","inputSchema":{"type":"object"}}]}`, true},
		{"one byte more behind the evidence", `{"tools":[{"name":"add","description":"canary7f3a.","inputSchema":{"type":"object"}}]}`, false},
		{"another schema", `{"tools":[{"name":"add","description":"canary7f3a","inputSchema":{"type":"string"}}]}`, false},
		{"a member more", `{"tools":[{"name":"add","description":"canary7f3a","inputSchema":{"type":"object"},"x":1}]}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := contentOf(t, sees, tt.text); (got == want) != tt.same {
				t.Errorf("content hash %s of %s, of the first %s: same %v, want %v", got, tt.text, want, got == want, tt.same)
			}
		})
	}
}

func TestContentOfInstructions(t *testing.T) {
	if got, want := contentOf(t, sees, `{"tools":[],"instructions":"canary7f3a"}`), finding.ContentHash(`"canary7f3a"`); got != want {
		t.Errorf("content hash %s, want that of the string alone, %s", got, want)
	}
}

// A finding about several definitions depends on each of them, once, in any order.
func TestContentOfSeveralDefinitions(t *testing.T) {
	all := *sees
	all.RunItem, all.Run = nil, func(p *check.Pass) {
		var places []check.Place
		for _, s := range p.Catalog.Servers {
			for it := range s.Items() {
				if it.Kind == finding.Tool {
					places = append(places, p.At(s, it, rawjson.Value{}))
				}
			}
		}
		p.Report(check.Relation{At: places[0], Related: append(places[1:], places[0], p.At(p.Catalog.Servers[0], nil, rawjson.Value{})), Identity: []string{"a", "b"}})
	}
	const a, b = `{"name":"a","tools":[{"name":"x","title":"1"}]}`, `{"name":"b","tools":[{"name":"x","title":"2"}]}`
	want := finding.JoinContent(finding.ContentHash(`{"name":"x","title":"1"}`), finding.ContentHash(`{"name":"x","title":"2"}`), finding.ContentHash("a\x00b"))
	if got := contentOf(t, &all, `{"servers":[`+a+`,`+b+`]}`); got != want {
		t.Errorf("content hash %s, want that of two tools and the servers' names, %s", got, want)
	}
	if got := contentOf(t, &all, `{"servers":[`+a+`,{"name":"b","tools":[{"name":"x","title":"3"}]}]}`); got == want {
		t.Error("a change of the second definition does not change the content hash")
	}
}
