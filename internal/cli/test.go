package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/suiterun"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/suite"
)

type testCommand struct {
	*app
	outputs outputFlags
	suite   suiterun.Options
	message int
	sandbox sandboxFlags
}

func (a *app) newTestCommand() *cobra.Command {
	t := &testCommand{app: a}
	cmd := newCommand("test [flags] SUITE", "Run a test suite over several servers and the boundary between them", t.runSuite)
	t.outputs.gate.addGateFlags(cmd)
	recordFlag(cmd, &t.suite.Trace, "record every message, both ways: in this `FILE` (default none)")
	cmd.Flags().StringVar(&t.suite.Recording, "recording", "", "start nothing and judge this recorded `FILE`; the suite says what is expected (default none)")
	t.outputs.addOutputFlags(cmd, a)
	t.outputs.addProgressFlag(cmd, a)
	cmd.Flags().Var(sizeFlag(&t.message, wire.DefaultMessage), "max-message", "longest message taken from the other side: a server")
	addLimitFlags(cmd, &t.suite.Limits)
	t.sandbox.addSandboxFlags(cmd.Flags(), sandbox.Off)
	completeSandbox(cmd)
	cmd.AddCommand(a.newSchemaCommand("suite files", suite.Schema))
	return cmd
}

func (t *testCommand) runSuite(cmd *cobra.Command, args []string) error {
	outs, wrong := t.outputs.checkOutputs(append(args[:len(args):len(args)], t.suite.Recording))
	if err := refuse(cmd, append(wantOne(args, "no suite: name a suite file", "suites"), []conflict{
		{t.suite.Recording != "" && t.suite.Trace != "", "--recording judges what was recorded, --record records: want one of them"},
		{t.suite.Trace == "-", "--record: name a file: it is read again to be judged"},
		failed(wrong),
	}...)); err != nil {
		return err
	}
	s, err := t.readSuite(args[0])
	if err != nil {
		return err
	}
	t.recorder.Start().Step("running " + args[0])
	t.suite.Version, t.suite.Tool, t.suite.Note, t.suite.Dialer = version(), toolName(), t.note, t.dialer(t.message, &t.sandbox, false, nil)
	r, err := suiterun.Run(cmd.Context(), s, t.suite)
	if err != nil {
		return err
	}
	r.Sandboxes = t.sandbox.boxes.Reports()
	t.writeReports(&t.outputs, outs, r, nextOfSuite(r, args[0], t.outputs.verbose), t.showTraces(cmp.Or(t.suite.Recording, t.suite.Trace, s.Trace)))
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
	case len(s.Servers) == 0 && s.Trace == "" && t.suite.Recording == "":
		return nil, fmt.Errorf("%s says nothing that is to be done: want servers, or a trace", name)
	}
	return s, nil
}
