package fleetcli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/run/fleet"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/broker"
	"gauntlet/internal/runtime/discover"
	"gauntlet/report"
)

// runCommand is one run of the subcommand run.
type runCommand struct {
	*app
	nats      natsFlags
	limits    broker.Limits
	workers   int
	retry     bool
	quiet     bool
	format    string
	output    string
	directory string
	queue     int
	results   int
}

func (a *app) newRunCommand() *cobra.Command {
	r := &runCommand{app: a, limits: broker.DefaultLimits()}
	cmd := &cobra.Command{
		Use:   "run [flags] PLAN.yaml",
		Short: "Run a plan, or resume one",
		Args:  onePlan,
		RunE:  r.runPlan,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&r.workers, "workers", 2, "jobs of this process at the same time; 0 leaves all to gauntlet-fleet worker")
	f.BoolVar(&r.retry, "retry", false, "try again what failed in an earlier run (default off)")
	r.nats.add(cmd, "a server in this process")
	f.IntVar(&r.limits.Replicas, "replicas", 1, "copies that a cluster keeps of jobs and results")
	f.DurationVar(&r.limits.Age, "max-age", r.limits.Age, "drop jobs and results that are older")
	f.DurationVar(&r.limits.AckWait, "ack-wait", r.limits.AckWait, "give a job to another worker after this much silence")
	f.IntVar(&r.queue, "max-queue", int(r.limits.Queue>>20), "most that waiting jobs take on disk, in MiB")
	f.IntVar(&r.results, "max-results", int(r.limits.Results>>20), "most that results take on disk, in MiB")
	f.StringVar(&r.format, "format", "pretty", "how to write the result: "+strings.Join(report.FleetNames(), ", "))
	completeFormats(cmd, report.FleetNames())
	f.StringVarP(&r.output, "output", "o", "-", "write the result here: the report to this `FILE`, - for standard output")
	f.StringVar(&r.directory, "directory", "", "write reports of each target to this `DIR` as well: pages, SARIF, JSON (default none)")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no progress and no notes on stderr, only errors (default off)")
	return cmd
}

func (r *runCommand) runPlan(cmd *cobra.Command, args []string) error {
	plan, err := r.readPlan(args[0])
	if err != nil {
		return err
	}
	access, err := r.nats.access()
	if err != nil {
		return err
	}
	if r.workers < 0 || r.workers > 1024 || r.limits.AckWait < 10*time.Second || r.limits.Age < time.Minute || r.queue < 1 || r.results < 1 {
		return fmt.Errorf("want --workers from 0 to 1024, --ack-wait of 10s or more, --max-age of 1m or more, and sizes above 0")
	}
	r.limits.Queue, r.limits.Results = int64(r.queue)<<20, int64(r.results)<<20
	home := fleet.HomeOf(args[0])
	if access.URL == "" && home.Running() {
		return fmt.Errorf("%s: this plan is run by another process: look at it with gauntlet-fleet status", args[0])
	}
	server, err := home.Connect(access)
	if err != nil {
		return err
	}
	defer server.Close()
	if err := r.do(cmd.Context(), plan, home, server, access.URL != ""); err != nil {
		return err
	}
	return nil
}

func (r *runCommand) do(ctx context.Context, plan *fleetplan.Plan, home fleet.Home, server *fleet.Server, remote bool) error {
	capabilities := fleet.Detect(r.lookup)
	// Who runs a plan wrote it: what it names is what is wanted.
	capabilities.Words = append(capabilities.Words, fleetplan.NeedsCommands, "env *", "model *")
	capabilities.Allow("region", plan.Region)
	one := &fleet.Run{
		Plan: plan, Home: home, Server: server, Limits: r.limits, Host: discover.ThisHost(r.lookup), Version: version(), Workers: r.workers,
		Capabilities: capabilities, Runner: r.runner(),
		Remote: remote || r.workers == 0, Retry: r.retry, Note: r.note, Progress: r.progress(),
	}
	sum, err := one.Do(ctx)
	if err != nil {
		return err
	}
	r.tell(sum)
	owner, err := fleet.OpenOwner(context.WithoutCancel(ctx), home, server)
	if err != nil {
		return err
	}
	return r.writeReport(context.WithoutCancel(ctx), owner, r.format, r.output, r.directory)
}

func (r *runCommand) note(format string, args ...any) {
	if !r.quiet {
		r.say(format, args...)
	}
}

// progress tells how far a run is, at most every ten seconds.
func (r *runCommand) progress() func(ended, failed, all int) {
	var last time.Time
	return func(ended, failed, all int) {
		if now := time.Now(); now.Sub(last) >= 10*time.Second {
			last = now
			r.note("%d of %d jobs have ended, %d of them failed", ended, all, failed)
		}
	}
}

// tell says why a run ended before all jobs did.
func (r *runCommand) tell(sum *fleet.Summary) {
	for _, lacks := range slices.Sorted(maps.Keys(sum.Unfit)) {
		r.say("%d jobs need what no worker here has: %s", sum.Unfit[lacks], lacks)
	}
	if sum.Ended < sum.Jobs && len(sum.Unfit) == 0 {
		r.say("%d of %d jobs have ended; run the plan again to go on", sum.Ended, sum.Jobs)
	}
}

func (a *app) readPlan(file string) (*fleetplan.Plan, error) {
	text, err := userfile.ReadText(file, nil, fleetplan.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, userfile.Reason(err))
	}
	plan, wrong := fleetplan.Parse(file, text)
	if len(wrong) == 0 {
		return plan, nil
	}
	for i := range wrong[1:] {
		a.say("%s", wrong[i].Error())
	}
	return nil, &wrong[len(wrong)-1]
}
