package cli

import (
	"errors"
	"strings"
	"testing"

	"gauntlet/internal/run/testagent"
	"gauntlet/internal/runtime/sandbox"
)

// An agent runs without a sandbox only where there is a reason that can be said.
func TestWhyAnAgentIsUnsealed(t *testing.T) {
	none := func() error { return errors.New("no sandbox: no user namespaces") }
	some := func() error { return nil }
	for _, c := range []struct {
		name      string
		level     sandbox.Level
		agent     testagent.Agent
		available func() error
		want      string
	}{
		{"sealed", sandbox.Require, testagent.Agent{}, some, ""},
		{"where it can be", sandbox.On, testagent.Agent{}, some, ""},
		{"no sandbox on this machine", sandbox.Require, testagent.Agent{}, none, "no user namespaces"},
		{"none here, and none required", sandbox.On, testagent.Agent{}, none, "no user namespaces"},
		{"not asked for", sandbox.Off, testagent.Agent{}, some, "no sandbox was asked for"},
		{"a login in the home", sandbox.Require, testagent.Agent{NeedsLogin: true}, some, "its login"},
	} {
		got := whyUnsealed(c.level, &c.agent, c.available)
		if got != "" != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
