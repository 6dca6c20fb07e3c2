package fleet

import "testing"

// A worker gets a job only if its owner allows all that the job needs and it has it.
func TestMeets(t *testing.T) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"TOKEN": "t", "OPENAI_API_KEY": "k"}[name]
		return v, ok
	}
	named := Capabilities{Lookup: lookup, Words: []string{"commands"}}
	named.Allow("env", "TOKEN", "UNSET")
	named.Allow("region", "")
	any := Capabilities{Lookup: lookup, Words: []string{"env *", "model *", "region moon"}}
	for _, tt := range []struct {
		name  string
		of    *Capabilities
		needs []string
		lacks string
	}{
		{"nothing", &Capabilities{}, nil, ""},
		{"a command and a variable", &named, []string{"commands", "env TOKEN"}, ""},
		{"a variable that is not set", &named, []string{"commands", "env UNSET"}, "env UNSET"},
		{"a variable that is set and not allowed", &named, []string{"env OPENAI_API_KEY"}, "env OPENAI_API_KEY"},
		{"a model that is not allowed", &named, []string{"model gpt-5"}, "model gpt-5"},
		{"no region named", &named, []string{"region moon"}, "region moon"},
		{"any variable", &any, []string{"env OPENAI_API_KEY", "env TOKEN"}, ""},
		{"any variable, one that is not set", &any, []string{"env UNSET"}, "env UNSET"},
		{"any model with its key", &any, []string{"model gpt-5"}, ""},
		{"any model without its key", &any, []string{"model claude-sonnet-4"}, "model claude-sonnet-4"},
		{"commands are not among any", &any, []string{"commands"}, "commands"},
		{"another region", &any, []string{"region mars"}, "region mars"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.of.Meets(tt.needs); got != tt.lacks {
				t.Errorf("Meets(%q) = %q, want %q", tt.needs, got, tt.lacks)
			}
		})
	}
}
