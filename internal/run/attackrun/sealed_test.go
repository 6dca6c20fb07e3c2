package attackrun

import (
	"strings"
	"testing"

	"gauntlet/attacks"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/oatf"
)

// A decoy that the agent opens and a program that it starts once it talks to the attack's servers are like calls of its own tools,
// whatever the command is called. What it also does before, it does by itself.
func TestWhatTheSandboxSaw(t *testing.T) {
	opened := sandbox.Event{Kind: sandbox.FileAccess, Path: "~/.ssh/id_rsa"}
	for _, tt := range []struct {
		name          string
		before, after *sandbox.Event
		want          string
	}{
		{"a decoy", nil, &opened, "~/.ssh/id_rsa"},
		{"a program", nil, &sandbox.Event{Kind: sandbox.Start, Path: "/usr/bin/cat", Args: []string{"cat", "/home/u/.ssh/id_rsa"}}, "cat /home/u/.ssh/id_rsa"},
		{"a decoy that it opens anyway", &opened, &opened, ""},
		{"another decoy than it opens anyway", &sandbox.Event{Kind: sandbox.FileAccess, Path: "~/.env"}, &opened, "~/.ssh/id_rsa"},
		{"before it heard anything", &opened, nil, ""},
		{"its model", nil, &sandbox.Event{Kind: sandbox.Connection, Host: "127.0.0.1", Allowed: true}, ""},
	} {
		text, _ := attacks.Text("tool-poisoning")
		doc, problem := (&attackdoc.Text{Name: "tool-poisoning", Text: text}).Load(oatf.DefaultLimits())
		if problem != "" {
			t.Fatal(problem)
		}
		j := judgement{doc: doc}
		got := ""
		for _, e := range []*sandbox.Event{tt.before, tt.after} {
			if e != nil {
				m := e.Message()
				if call := j.sealedCall(&m); call != nil {
					got += call.Raw
				}
			}
			j.heard = true
		}
		if got == "" != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
