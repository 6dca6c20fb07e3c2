package proberun

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

func toolWith(schema string, tag capability.Tag, confidence capability.Confidence, roles map[string]capability.Role) *tool {
	t := &tool{Name: "t", Schema: schemafill.Parse(schema), Labels: capability.Tool{Roles: map[string]capability.RoleLabel{}}}
	if tag != "" {
		t.Labels.Capabilities = []capability.Label{{Tag: tag, Confidence: confidence}}
	}
	for name, r := range roles {
		t.Labels.Roles[name] = capability.RoleLabel{Role: r, Confidence: capability.High}
	}
	return t
}

// planned lists the planned trials, as parameter and class.
func planned(targets []*target) (out []string) {
	for _, t := range targets {
		if t.Planned {
			out = append(out, fmt.Sprintf("%s %s", t.Parameter.Path, t.Class))
		}
	}
	slices.Sort(out)
	return out
}

func TestNew(t *testing.T) {
	const one = `{"properties":{"a":{"type":"string"}}}`
	for _, tt := range []struct {
		name  string
		tool  *tool
		floor capability.Confidence
		want  string
	}{
		{"a path of a reader", toolWith(one, capability.FSRead, capability.High, map[string]capability.Role{"a": capability.Path}), capability.Medium, "a path traversal, a prefix escape, a symlink escape"},
		{"an id of a runner", toolWith(one, capability.Exec, capability.Medium, map[string]capability.Role{"a": capability.ID}), capability.Medium, "a argument injection, a command injection"},
		{"an id of a runner, not sure", toolWith(one, capability.Exec, capability.Low, map[string]capability.Role{"a": capability.ID}), capability.Medium, ""},
		{"an id of a runner, low labels asked for", toolWith(one, capability.Exec, capability.Low, map[string]capability.Role{"a": capability.ID}), capability.Low, "a argument injection, a command injection"},
		{"a text of nothing", toolWith(one, "", "", nil), capability.Medium, ""},
		{"an enumeration", toolWith(`{"properties":{"a":{"enum":["x","y"]}}}`, capability.Exec, capability.High, nil), capability.Medium, ""},
		{"paths in a list", toolWith(`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`, capability.FSRead, capability.High, map[string]capability.Role{"a": capability.Path}), capability.Medium, "a[] path traversal, a[] prefix escape, a[] symlink escape"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			targets, none := newPlan([]*tool{tt.tool}, tt.floor, false)
			if got := strings.Join(planned(targets), ", "); got != tt.want {
				t.Errorf("planned %q, want %q", got, tt.want)
			}
			for _, target := range targets {
				if slices.Contains(none, target.Class) {
					t.Errorf("%s is planned and not applicable", target.Class)
				}
			}
		})
	}
}

// Wide plans try more and ask for no more.
func TestWide(t *testing.T) {
	tools := []*tool{toolWith(`{"properties":{"a":{"type":"string"}}}`, capability.FSRead, capability.High, map[string]capability.Role{"a": capability.Path})}
	narrow, none := newPlan(tools, capability.Medium, false)
	wide, noneWide := newPlan(tools, capability.Medium, true)
	if !slices.Equal(planned(narrow), planned(wide)) || !slices.Equal(none, noneWide) || len(wide) <= len(narrow) {
		t.Errorf("narrow %q, wide %q of %d", planned(narrow), planned(wide), len(wide))
	}
}

// Every payload carries a value of its own mark or leads to something planted, and two of a class
// differ.
func TestPayloads(t *testing.T) {
	place := Place{Root: "/p/project", Outside: "/p/private/canary.txt", OutsideJS: "/p/private/canary.json", Sibling: "/p/project-private/canary.txt", Linked: "/p/project/l/c", Folder: "/p/docs", WriteDir: "/p/drop", Port: 8080, Metadata: "http://169.254.169.254/x", Private: "10.0.0.5:8080", Named: "n.test:8080", Redirect: "http://r.test", ToCloud: "http://c.test"}
	for _, r := range slices.Concat(payloads.asked, payloads.wide) {
		target := target{Class: r.class, variants: r.variants}
		seen := map[string]bool{}
		for n := range target.Payloads() {
			p, ok := target.Payload(n, Mark{Token: "tokentoken12", Touch: "/p/drop/tokentoken12", A: 123456, B: 654321}, place, "x")
			if !ok || len(p.Expect) == 0 || p.Variant == "" {
				t.Errorf("%s %d: %+v", r.class, n, p)
			}
			marked := strings.Contains(p.Text, "tokentoken12") || strings.Contains(p.Text, "123456*654321") || p.Leads != "" || r.class == probe.Deserialisation
			if !marked || seen[p.Text] {
				t.Errorf("%s by %s: %q is not marked, or is there twice", r.class, p.Variant, p.Text)
			}
			seen[p.Text] = true
			if _, ok := target.Payload(n, Mark{Token: "t", Touch: "/t"}, Place{}, "x"); ok && p.Leads != "" && p.Leads != "parent" && r.class != probe.CRLF {
				t.Errorf("%s by %s leads nowhere and is tried", r.class, p.Variant)
			}
		}
	}
}
