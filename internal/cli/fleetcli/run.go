package fleetcli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/fleet"
	"gauntlet/internal/runtime/broker"
	"gauntlet/report"
)

// runCommand is one run of the subcommand run.
type runCommand struct {
	*app
	nats    natsFlags
	limits  broker.Limits
	workers int
	retry   bool
	quiet   bool
	report  reportFlags
}

func (a *app) newRunCommand() *cobra.Command {
	r := &runCommand{app: a, limits: broker.DefaultLimits(fleet.MaxJob)}
	cmd := &cobra.Command{Use: "run [flags] PLAN.yaml", Short: "Run a plan, or resume one", Args: onePlan, RunE: r.runPlan}
	f := cmd.Flags()
	f.SortFlags = false
	r.limits.Queue >>= 20
	r.limits.Results >>= 20
	f.IntVar(&r.workers, "workers", 2, "jobs of this process at the same time; 0 leaves all to gauntlet-fleet worker")
	f.BoolVar(&r.retry, "retry", false, "try again what failed in an earlier run (default off)")
	r.nats.add(cmd, "a server in this process")
	f.IntVar(&r.limits.Replicas, "replicas", 1, "copies that a cluster keeps of jobs and results")
	f.DurationVar(&r.limits.Age, "max-age", r.limits.Age, "drop jobs and results that are older")
	f.DurationVar(&r.limits.AckWait, "ack-wait", r.limits.AckWait, "give a job to another worker after this much silence")
	f.Int64Var(&r.limits.Queue, "max-queue", r.limits.Queue, "most that waiting jobs take on disk, in MiB")
	f.Int64Var(&r.limits.Results, "max-results", r.limits.Results, "most that results take on disk, in MiB")
	r.report.add(cmd)
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
	if _, err := report.FleetFormats().Lookup(r.report.format); err != nil {
		return err // before anything is done
	}
	const most = 1 << 30 // MiB
	if r.workers < 0 || r.workers > 1024 || r.limits.AckWait < 10*time.Second || r.limits.Age < time.Minute || min(r.limits.Queue, r.limits.Results) < 1 || max(r.limits.Queue, r.limits.Results) > most {
		return errors.New("want --workers from 0 to 1024, --ack-wait of 10s or more, --max-age of 1m or more, and sizes above 0")
	}
	r.limits.Queue, r.limits.Results = r.limits.Queue<<20, r.limits.Results<<20
	home := fleet.HomeOf(args[0])
	server, err := home.Begin(access)
	if err != nil {
		return err
	}
	defer server.Close()
	capabilities := fleet.Detect(r.lookup)
	// Who runs a plan wrote it: what it names is what is wanted.
	capabilities.Words = append(capabilities.Words, fleet.NeedsCommands, "env *", "model *")
	capabilities.Allow("region", plan.Region)
	one := &fleet.Run{
		Plan: plan, Home: home, Server: server, Limits: r.limits, Version: version(), Workers: r.workers,
		Capabilities: capabilities, Runner: r.runner(),
		Remote: access.URL != "" || r.workers == 0, Retry: r.retry, Note: r.note, Progress: r.progress(),
	}
	sum, err := one.Do(cmd.Context())
	if err != nil {
		return err
	}
	r.tell(sum)
	return r.writeReport(context.WithoutCancel(cmd.Context()), one.Owner, &r.report)
}

func (r *runCommand) note(format string, args ...any) {
	if !r.quiet {
		r.say(format, args...)
	}
}

// progress tells how far a run is, every ten seconds.
func (r *runCommand) progress() func(ended, all int) {
	last := time.Now()
	return func(ended, all int) {
		if now := time.Now(); now.Sub(last) >= 10*time.Second {
			last = now
			r.note("%d of %d jobs have ended", ended, all)
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
