package fleetcli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/fleet"
	"gauntlet/report"
)

// runCommand is one run of the subcommand run.
type runCommand struct {
	*app
	fleet.Run
	access fleet.Access
	quiet  bool
	report reportFlags
}

func (a *app) newRunCommand() *cobra.Command {
	r := &runCommand{app: a, Run: fleet.Run{Version: version(), Reserve: fleet.DefaultReserve(), Runner: a.runner()}}
	cmd := &cobra.Command{Use: "run [flags] PLAN.yaml", Short: "Run a plan, or resume one", Args: onePlan, RunE: r.runPlan}
	f := cmd.Flags()
	f.SortFlags = false
	r.Reserve.Queue >>= 20
	r.Reserve.Results >>= 20
	f.IntVar(&r.Workers, "workers", 2, "jobs of this process at the same time; 0 leaves all to gauntlet-fleet worker")
	f.BoolVar(&r.Retry, "retry", false, "try again what failed in an earlier run (default off)")
	addAccessFlags(cmd, &r.access, "a server in this process")
	f.IntVar(&r.Reserve.Replicas, "replicas", 1, "copies that a cluster keeps of jobs and results")
	f.DurationVar(&r.Reserve.Age, "max-age", r.Reserve.Age, "drop jobs and results that are older")
	f.DurationVar(&r.Reserve.AckWait, "ack-wait", r.Reserve.AckWait, "give a job to another worker after this much silence")
	f.Int64Var(&r.Reserve.Queue, "max-queue", r.Reserve.Queue, "most that waiting jobs take on disk, in MiB")
	f.Int64Var(&r.Reserve.Results, "max-results", r.Reserve.Results, "most that results take on disk, in MiB")
	r.report.add(cmd)
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no progress and no notes on stderr, only errors (default off)")
	return cmd
}

func (r *runCommand) runPlan(cmd *cobra.Command, args []string) error {
	var err error
	if r.Plan, err = r.readPlan(args[0]); err != nil {
		return err
	}
	if _, err := report.FleetFormats().Lookup(r.report.format); err != nil {
		return err // before anything is done
	}
	const most = 1 << 30 // MiB
	if r.Workers < 0 || r.Workers > 1024 || r.Reserve.AckWait < 10*time.Second || r.Reserve.Age < time.Minute || min(r.Reserve.Queue, r.Reserve.Results) < 1 || max(r.Reserve.Queue, r.Reserve.Results) > most {
		return errors.New("want --workers from 0 to 1024, --ack-wait of 10s or more, --max-age of 1m or more, and sizes above 0")
	}
	r.Reserve.Queue, r.Reserve.Results = r.Reserve.Queue<<20, r.Reserve.Results<<20
	r.Home = fleet.HomeOf(args[0])
	if r.Server, err = r.Home.Begin(r.access); err != nil {
		return err
	}
	defer r.Server.Close()
	r.Capabilities = fleet.Detect(r.lookup)
	// Who runs a plan wrote it: what it names is what is wanted.
	r.Capabilities.Words = append(r.Capabilities.Words, fleet.NeedsCommands, "env *", "model *")
	r.Capabilities.Allow("region", r.Plan.Region)
	r.Note, r.Progress = r.note, r.progress()
	sum, err := r.Do(cmd.Context())
	if err != nil {
		return err
	}
	r.tell(sum)
	return r.writeReport(context.WithoutCancel(cmd.Context()), &r.Owner, &r.report)
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
