package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/discover"
)

// configFlags select MCP client configurations, and whether their servers may be started.
type configFlags struct {
	files    []string
	discover bool
	noLaunch bool
	yes      bool

	checks []*config.Check // their findings are shown before the question; nil for all
	often  string          // how often a server is started, if more than once
	writes []string        // files the run will write; none may be a configuration
}

func (c *configFlags) addConfigFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&c.files, "config", nil, "take servers from the configuration of an MCP client: this `FILE`, which is judged, too; repeatable (default none)")
	cmd.Flags().BoolVar(&c.discover, "discover", false, "do so with the configurations of all known clients of this user and of the current directory (default off)")
	cmd.Flags().BoolVar(&c.noLaunch, "no-launch", false, "do not start or connect to the servers of configurations (default off)")
	cmd.Flags().BoolVar(&c.yes, "yes", false, "do not ask for consent: start and connect to what configurations name (default off)")
}

func (c *configFlags) anyGiven() bool { return c.discover || len(c.files) > 0 }

// findConflict returns what is wrong with the combination of flags, or "".
func (c *configFlags) findConflict() string {
	switch {
	case c.yes && c.noLaunch:
		return "--yes and --no-launch are opposites: want one of them"
	case c.yes && !c.anyGiven():
		return "--yes is for servers in configurations: name one with --config, or --discover"
	case c.noLaunch && !c.anyGiven():
		return "--no-launch is for servers in configurations: name one with --config, or --discover"
	}
	for _, f := range c.files {
		if f == "" || f == "-" {
			return "--config wants the name of a file"
		}
	}
	return ""
}

// checkOverwrites returns an error if a configuration would be overwritten.
func (c *configFlags) checkOverwrites(files []config.File) error {
	for i := range files {
		for _, w := range c.writes {
			if w != "-" && userfile.Same(files[i].Path, w) {
				return fmt.Errorf("%s would be read and overwritten", w)
			}
		}
	}
	return nil
}

// readConfigs reads the requested configurations; see clientplan.ReadFiles.
func (a *app) readConfigs(ctx context.Context, c *configFlags) ([]config.File, []finding.Problem, error) {
	type read struct {
		files    []config.File
		problems []finding.Problem
	}
	got, err := interrupt.Do(ctx, func() (r read) {
		r.files, r.problems = clientplan.ReadFiles(discover.ThisHost(a.lookupEnv), c.files, c.discover)
		return r
	})
	return got.files, got.problems, err
}

// makePlan reads the configurations and asks for consent to start their servers; nil if none was requested. The caller must report
// the outcomes of the plan's targets to Settle.
func (a *app) makePlan(ctx context.Context, c *configFlags) (*clientplan.Plan, error) {
	if !c.anyGiven() {
		return nil, nil
	}
	files, problems, err := a.readConfigs(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := c.checkOverwrites(files); err != nil {
		return nil, err
	}
	p := clientplan.New(discover.ThisHost(a.lookupEnv), files, problems, !c.noLaunch)
	return p, a.askConsent(ctx, c, p)
}
