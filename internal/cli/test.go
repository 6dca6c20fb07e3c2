package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/liveview"
	"gauntlet/internal/run/suiterun"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/suite"
)

type testCommand struct {
	*app
	outputs   outputFlags
	gate      gateFlags
	traceName string
	recording string
	limits    limitFlags
	message   int
	sandbox   sandboxFlags
}

func (a *app) newTestCommand() *cobra.Command {
	t := &testCommand{app: a}
	cmd := newCommand("test [flags] SUITE", "Run a test suite over several servers and the boundary between them", t.runSuite)
	t.gate.addGateFlags(cmd)
	recordFlag(cmd, &t.traceName, "record every message, both ways: in this `FILE` (default none)")
	cmd.Flags().StringVar(&t.recording, "recording", "", "start nothing and judge this recorded `FILE`; the suite says what is expected (default none)")
	t.outputs.addOutputFlags(cmd, a)
	t.outputs.addProgressFlag(cmd, a)
	cmd.Flags().Var(sizeFlag(&t.message, wire.DefaultMessage), "max-message", "longest message taken from the other side: a server")
	t.limits.addLimitFlags(cmd)
	t.sandbox.addSandboxFlags(cmd.Flags(), sandbox.Off)
	completeSandbox(cmd)
	cmd.AddCommand(a.newSchemaCommand("suite files", suite.Schema))
	return cmd
}

func (t *testCommand) runSuite(cmd *cobra.Command, args []string) error {
	outs, wrong := t.outputs.checkOutputs(append(args[:len(args):len(args)], t.recording))
	if err := refuse(cmd, append(wantOne(args, "no suite: name a suite file", "suites"), []conflict{
		{t.recording != "" && t.traceName != "", "--recording judges what was recorded, --record records: want one of them"},
		{t.traceName == "-", "--record: name a file: it is read again to be judged"},
		failed(wrong),
	}...)); err != nil {
		return err
	}
	s, err := t.readSuite(args[0])
	if err != nil {
		return err
	}
	t.recorder.Start().Step("running " + args[0])
	r, err := suiterun.Run(cmd.Context(), s, suiterun.Options{
		Trace: t.traceName, Recording: t.recording, Limits: t.limits.Limits, Version: version(), Tool: toolName(), Note: t.note,
		Dialer: t.dialer(t.message, &t.sandbox, false, nil),
	})
	if err != nil {
		return err
	}
	r.Sandboxes = t.sandbox.boxes.Reports()
	looks := t.reportOptions(t.outputs.verbose, &t.gate)
	looks.Next = nextOfSuite(r, args[0], t.outputs.verbose)
	if outs.hasPage() {
		looks.Traces = liveview.Conversations([]string{cmp.Or(t.recording, t.traceName, s.Trace)}, t.note)
	}
	t.writeReports(outs, r, looks, &t.gate)
	return nil
}

// readSuite reads the suite. Nothing runs if it has any fault.
func (t *testCommand) readSuite(name string) (*suite.Suite, error) {
	s, wrong, err := t.parseSuite(name)
	switch {
	case err != nil:
		return nil, err
	case wrong > 0:
		return nil, fmt.Errorf("%s cannot be run: %s", name, excerpt.Count(wrong, "error"))
	case len(s.Servers) == 0 && s.Trace == "" && t.recording == "":
		return nil, fmt.Errorf("%s says nothing that is to be done: want servers, or a trace", name)
	}
	return s, nil
}
