package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/runtime/sandbox"
)

// sandboxFlags say whether started servers are sandboxed.
type sandboxFlags struct {
	level sandbox.Level
	allow []string
	read  []string
	boxes launch.Sandboxes
}

var sandboxLevels = []string{string(sandbox.Off), string(sandbox.On), string(sandbox.Require)}

// addSandboxFlags adds the flags; usual is the default level.
func (s *sandboxFlags) addSandboxFlags(f *pflag.FlagSet, usual sandbox.Level) {
	s.level = usual
	show := func(l sandbox.Level) string { return string(l) }
	f.Var(&value[sandbox.Level]{&s.level, "LEVEL", sandbox.ParseLevel, show}, "sandbox", "seal off servers that are started: off, on (where this system can), require")
	f.StringArrayVar(&s.allow, "sandbox-allow", nil, "let sealed servers really reach this `HOST` or HOST:PORT; repeatable (default none)")
	f.StringArrayVar(&s.read, "sandbox-read", nil, "show sealed servers a copy of this `PATH` as well; repeatable (default none)")
}

func completeSandbox(cmd *cobra.Command) { completeWith(cmd, "sandbox", sandboxLevels) }

// sealing returns the sandboxing requested by the flags. Events are also recorded in a trace, if not nil.
func (s *sandboxFlags) sealing(record *tracefile.File) launch.Sealing {
	return launch.Sealing{Level: s.level, Config: sandbox.Config{Allow: s.allow, Read: s.read}, Record: record.Record, Boxes: &s.boxes}
}

// tellSandboxes reports on stderr which protections held, for commands without a report.
func (a *app) tellSandboxes(s *sandboxFlags) {
	for _, b := range s.boxes.Reports() {
		a.note("%s: %s", b.Server, launch.SandboxLine(&b))
	}
	for _, theft := range s.boxes.Thefts() {
		a.say("%s", theft)
	}
}
