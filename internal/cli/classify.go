package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/capability"
	"gauntlet/finding"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/scanrun"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
)

type classifyCommand struct {
	*app
	how          targetFlags
	configs      configFlags
	format       string
	file         string
	allowPartial bool
	labelling    scanrun.Labelling
	layer3       string // tools that models are asked about: "", "low" or "all"
	models       modelFlags
	planned      bool // only the plan was requested, and it is written
}

func (a *app) newClassifyCommand() *cobra.Command {
	c := &classifyCommand{app: a}
	cmd := newCommand("classify [flags] [FILE | - | URL]... [-- COMMAND [ARG]...]", "Label what tools can do and what their parameters are", c.classifyTargets)
	textFormat(cmd, &c.format, "pretty", "html", "json")
	outputFlag(cmd, &c.file, "the labels")
	confidenceFlag(cmd, &c.labelling.Floor)
	cmd.Flags().StringVar(&c.labelling.SourceDir, "source", "", "read the server's source as well: all below this `DIR` (default none)")
	partialFlag(cmd, &c.allowPartial)
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	c.configs.addConfigFlags(cmd)
	layer3Flag(cmd, &c.layer3)
	c.models.addModelFlags(cmd, "with --llm-classifier, it labels tools")
	_ = cmd.Flags().MarkHidden("no-launch") // without servers there is nothing to classify
	c.how.addTargetFlags(cmd)
	return cmd
}

// layer3Flag is the flag to have models label tools left in doubt.
func layer3Flag(cmd *cobra.Command, to *string) {
	f := cmd.Flags().VarPF(nameFlag(to, "TOOLS", []string{"low", "all"}), "llm-classifier", "", "ask --model about tools whose labels are low, or with all about those without a label, too; its labels are inferred and count for nothing else (default off)")
	f.NoOptDefVal = "low"
}

func confidenceFlag(cmd *cobra.Command, to *capability.Confidence) {
	*to = capability.Low
	var names []string
	for _, c := range capability.Confidences() {
		names = append(names, string(c))
	}
	cmd.Flags().Var(&value[capability.Confidence]{to, "CONFIDENCE", capability.ParseConfidence, capability.Confidence.String},
		"min-confidence", "leave out labels below this: "+strings.Join(names, ", "))
	completeWith(cmd, "min-confidence", names)
}

func (c *classifyCommand) classifyTargets(cmd *cobra.Command, args []string) error {
	targets, err := c.parseTargets(cmd, &c.how, args)
	if err != nil {
		return err
	}
	if err := c.checkClassifyFlags(cmd, targets); err != nil {
		return err
	}
	if c.layer3 != "" {
		if c.labelling.Models, err = c.openModels(&c.models); err != nil {
			return usage(cmd, "%s", err)
		}
		defer c.labelling.Models.Close()
	}
	c.configs.writes = []string{c.file}
	p, err := c.makePlan(cmd.Context(), &c.configs)
	if err != nil {
		return err
	}
	defer c.startProgress().Stop()
	var unread []finding.Problem
	if p != nil {
		targets = append(targets, p.Targets()...)
		unread = p.Problems
	}
	got, err := c.gatherTargets(cmd.Context(), &c.how, targets)
	if err != nil {
		return err
	}
	servers, err := c.labelServers(cmd.Context(), got)
	if err != nil {
		return err
	}
	if c.planned {
		return nil
	}
	unread = slices.Concat(unread, got.Failures, got.Catalog.Problems)
	c.progress.Stop()
	for _, p := range unread {
		c.say("%s", target.FailureText(p))
	}
	if len(got.Catalog.Documents) > 0 {
		if err := c.writeFormat(c.format, c.file, func(w io.Writer) error { return c.writeLabels(w, servers, unread) }); err != nil {
			return err
		}
	}
	if len(unread) > 0 && !(c.allowPartial && len(got.Catalog.Documents) > 0) {
		c.code = result.ExitTrouble
	}
	return nil
}

func (c *classifyCommand) checkClassifyFlags(cmd *cobra.Command, targets []target.Target) error {
	in := target.SnapshotFiles(targets)
	return refuse(cmd, slices.Concat(c.configs.conflicts(), []conflict{
		{c.configs.noLaunch, "--no-launch leaves nothing to classify"},
		{c.layer3 == "" && len(c.models.IDs) > 0, "--model is for --llm-classifier: without it no model is asked"},
		{c.layer3 != "" && len(c.models.IDs) == 0, "--llm-classifier" + wantsModel},
	}, c.models.conflicts(cmd), []conflict{
		{len(targets) == 0 && !c.configs.anyGiven(), "nothing to classify: name a snapshot file, - for standard input, the URL of a server, or -- and its command; or --config or --discover"},
		stdinTwice(in), failed(userfile.CheckWritable(c.file, in)),
	}))
}

// labelServers labels every server; with --plan it writes the plan instead.
func (c *classifyCommand) labelServers(ctx context.Context, got *target.Gathered) ([]capability.Server, error) {
	l := &c.labelling
	l.All, l.Parallel, l.Progress, l.Note = c.layer3 == "all", c.models.Parallel, c.progress, c.note
	if c.models.plan {
		l.Plan = func(plans []modelset.Plan) error {
			c.planned = true
			return c.writePlans(l.Models, plans)
		}
	}
	return l.Label(ctx, got)
}

// writeLabels writes labels as pretty, html or json. In JSON one server is an object, several are a list; what was not read stands
// beside it.
func (c *classifyCommand) writeLabels(w io.Writer, servers []capability.Server, unread []finding.Problem) error {
	if c.format == "json" {
		if len(servers) == 1 {
			return report.WriteJSON(w, struct {
				capability.Server
				Problems []finding.Problem `json:"problems,omitempty"`
			}{servers[0], unread})
		}
		return report.WriteJSON(w, struct {
			Servers  []capability.Server `json:"servers"`
			Problems []finding.Problem   `json:"problems,omitempty"`
		}{servers, unread})
	}
	looks := report.Options{}
	if c.file == "-" {
		looks = c.terminalOptions(false)
	}
	var missing []string
	for _, p := range unread {
		missing = append(missing, target.FailureText(p))
	}
	return report.WriteLabels(w, c.format, servers, c.labelling.Floor, missing, looks)
}
