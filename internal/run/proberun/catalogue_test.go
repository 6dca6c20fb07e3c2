package proberun

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/capability"
	"gauntlet/internal/leaf/probe"
)

// payloads.txt names only what there is: a misspelt label would ask for nothing, and nobody would notice.
func TestPayloadTableNamesWhatThereIs(t *testing.T) {
	kinds := []probe.Kind{probe.Content, probe.File, probe.Callback, probe.Product, probe.Program}
	used := map[string]bool{}
	for _, r := range slices.Concat(payloads.asked, payloads.wide) {
		if !slices.Contains(probe.Classes(), r.class) || len(r.variants) == 0 {
			t.Errorf("%q: no class, or no values", r.class)
		}
		for _, role := range r.roles {
			if !slices.Contains(capability.Roles(), role) {
				t.Errorf("%s: no role %q", r.class, role)
			}
		}
		for _, tag := range r.tags {
			if !slices.Contains(capability.Tags(), tag) {
				t.Errorf("%s: no label %q", r.class, tag)
			}
		}
		for _, v := range r.variants {
			used[v.name+v.value] = true
			for _, k := range v.expect {
				if !slices.Contains(kinds, k) {
					t.Errorf("%s: no kind of proof %q", v.name, k)
				}
			}
			if v.leads != "" && v.leads != "header" && v.leads != "parent" && leadsTo[v.leads] == "" {
				t.Errorf("%s leads to %q, which is nothing", v.name, v.leads)
			}
		}
	}
	for name, list := range payloads.lists {
		for _, v := range list {
			if !used[v.name+v.value] {
				t.Errorf("nothing asks for %q of %s", v.name, name)
			}
		}
	}
	for class, l := range payloads.languages {
		if !slices.Contains(probe.Classes(), class) || l.named == nil || l.does == "" || strings.Contains(l.does, "\t") {
			t.Errorf("the language of %q: %+v", class, l)
		}
	}
	for line := range strings.Lines(payloadTable) {
		for key, known := range map[string]func(string) bool{
			"; plant: ": func(s string) bool { return plants[s] != nil }, "; encode: ": func(s string) bool { return encodings[s] != nil },
		} {
			if _, rest, ok := strings.Cut(line, key); ok && line[0] == '[' {
				if name, _, _ := strings.Cut(strings.TrimSpace(rest), ";"); !known(name) {
					t.Errorf("%s%q is unknown", key, name)
				}
			}
		}
		if columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(columns) == 6 && columns[0] != "language" && toolNames[columns[5]] == nil {
			t.Errorf("no kind of tool %q", columns[5])
		}
	}
}

// A tool that sends its value away and always fails has resisted what is seen outside, and nothing that only its answer would show.
func TestWhatShowsOutside(t *testing.T) {
	for _, tt := range []struct {
		expect []probe.Kind
		want   bool
	}{
		{[]probe.Kind{probe.Content}, false}, {[]probe.Kind{probe.Product}, false}, {nil, false},
		{[]probe.Kind{probe.Product, probe.File}, true}, {[]probe.Kind{probe.Callback}, true}, {[]probe.Kind{probe.Program}, true},
	} {
		if p := (&Payload{Expect: tt.expect}); p.ShowsOutside() != tt.want {
			t.Errorf("%q: %t", tt.expect, !tt.want)
		}
	}
}
