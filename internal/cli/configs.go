package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/discover"
	"gauntlet/report"
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

func (c *configFlags) conflicts() []conflict {
	return []conflict{
		{c.yes && c.noLaunch, "--yes and --no-launch are opposites: want one of them"},
		{c.yes && !c.anyGiven(), "--yes is for servers in configurations: name one with --config, or --discover"},
		{c.noLaunch && !c.anyGiven(), "--no-launch is for servers in configurations: name one with --config, or --discover"},
		{slices.Contains(c.files, "") || slices.Contains(c.files, "-"), "--config wants the name of a file"},
	}
}

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

// readConfigs reads the requested configurations and plans what they would start. It fails if one would be overwritten.
func (a *app) readConfigs(ctx context.Context, c *configFlags) (*clientplan.Plan, error) {
	asked := a.asked
	a.asked = nil // until it is known that no report would go to a configuration
	p, err := interrupt.Do(ctx, func() *clientplan.Plan {
		host := discover.ThisHost(a.lookupEnv)
		files, problems := clientplan.ReadFiles(host, c.files, c.discover)
		return clientplan.New(host, files, problems, !c.noLaunch)
	})
	if err == nil {
		err = c.checkOverwrites(p.Files)
	}
	if err != nil {
		return nil, err
	}
	a.asked = asked
	return p, nil
}

// readPlan is readConfigs for commands that only say what could not be read.
func (a *app) readPlan(ctx context.Context, c *configFlags) (*clientplan.Plan, error) {
	p, err := a.readConfigs(ctx, c)
	if err == nil {
		for _, problem := range p.Problems {
			a.say("%s", target.FailureText(problem))
		}
	}
	return p, err
}

// makePlan reads the configurations and asks for consent to start their servers; nil if none was requested. The caller must report
// the outcomes of the plan's targets to Settle.
func (a *app) makePlan(ctx context.Context, c *configFlags) (*clientplan.Plan, error) {
	if !c.anyGiven() {
		return nil, nil
	}
	p, err := a.readConfigs(ctx, c)
	if err != nil {
		return nil, err
	}
	return p, a.askConsent(ctx, c, p)
}

// askConsent asks the user what of the plan may be started, and removes the rest. Everything is shown first: a configuration may
// come from anybody.
func (a *app) askConsent(ctx context.Context, c *configFlags, p *clientplan.Plan) error {
	if len(p.Launches) == 0 {
		return nil
	}
	if c.yes {
		if !a.quiet {
			a.showPlan(c, p)
		}
		return nil
	}
	answers, leave := a.openTerminal()
	defer leave()
	a.showPlan(c, p)
	if answers == nil {
		p.Decline(func(*clientplan.Launch) bool { return true }, "there was no terminal to ask for consent")
		a.say("nothing was started, because there is no terminal to ask for consent; --yes starts the servers, --no-launch checks the configurations only")
		return nil
	}
	agreed, err := a.askLaunches(ctx, answers, p)
	if err != nil {
		return err
	}
	p.Decline(func(l *clientplan.Launch) bool { return !agreed[l] }, "you did not agree")
	return nil
}

// showPlan prints every command and address of the plan, without its secrets.
func (a *app) showPlan(c *configFlags, p *clientplan.Plan) {
	often := ""
	if c.often != "" {
		often = ", " + c.often
	}
	if lines := p.DescribeFindings(c.checks); lines != nil {
		a.say("the configurations have findings:")
		for _, line := range lines {
			a.printErr("%s", line)
		}
	}
	a.say("servers that would be started or contacted with your privileges%s:", often)
	for i, l := range p.Launches {
		for _, line := range l.Describe(i + 1) {
			a.printErr("%s", line)
		}
	}
}

// openTerminal returns the terminal for answers, nil if there is no user. Until leave is called the user sees stderr there,
// wherever else it goes: nobody can agree to what is written to a file.
func (a *app) openTerminal() (answers *bufio.Reader, leave func()) {
	f, ok := a.host.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	stderr := a.host.Stderr
	if !isTerminal(stderr) {
		a.host.Stderr = io.MultiWriter(stderr, f) // a terminal can also be written to
	}
	return bufio.NewReader(f), func() { a.host.Stderr = stderr }
}

// askLaunches asks for each launch until the user accepts all remaining ones, and returns the accepted ones. Anything but a clear
// yes is a no.
func (a *app) askLaunches(ctx context.Context, answers *bufio.Reader, p *clientplan.Plan) (map[*clientplan.Launch]bool, error) {
	agreed := map[*clientplan.Launch]bool{}
	all := false
	for i, l := range p.Launches {
		if !all {
			question := "Start it? [y/N] "
			if len(p.Launches) > 1 {
				question = fmt.Sprintf("Start %d, %s? [y]es, [N]o, [a]ll from here on: ", i+1, report.Visible(clientplan.EntryName(l.Entries[0])))
			}
			answer, err := a.askQuestion(ctx, answers, question)
			if err != nil {
				return nil, err
			}
			all = len(p.Launches) > 1 && (answer == "a" || answer == "all")
			agreed[l] = answer == "y" || answer == "yes"
		}
		agreed[l] = agreed[l] || all
	}
	return agreed, nil
}

// askQuestion asks and returns the answer in lower case; end of input is no answer.
func (a *app) askQuestion(ctx context.Context, answers *bufio.Reader, text string) (string, error) {
	_, _ = io.WriteString(a.host.Stderr, text) // a user who cannot be asked does not agree
	line, err := interrupt.Do(ctx, func() string {
		s, _ := answers.ReadString('\n') // text before an error is an answer too
		return s
	})
	return strings.ToLower(strings.TrimSpace(line)), err
}
