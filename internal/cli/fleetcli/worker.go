package fleetcli

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/run/fleet"
)

// workerCommand is one run of the subcommand worker.
type workerCommand struct {
	*app
	fleet.Worker
	access                  fleet.Access
	plan, key, name, region string
	commands                bool
	env, models             []string
}

func (a *app) newWorkerCommand() *cobra.Command {
	w := &workerCommand{app: a, Worker: fleet.Worker{Version: version(), Runner: a.runner(), Note: a.say}}
	cmd := &cobra.Command{Use: "worker [flags]", Short: "Run a worker of a fleet", Args: cobra.NoArgs, RunE: w.work}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&w.plan, "plan", "", "join the run of this plan `FILE` on this machine (default none)")
	f.StringVar(&w.key, "key", "", "the `FILE` worker.key of the plan (default that beside --plan)")
	f.StringVar(&w.name, "name", "", "`NAME` of the fleet, as the plan has it (default that of --plan)")
	addAccessFlags(cmd, &w.access, "the server of --plan")
	f.IntVar(&w.Slots, "jobs", 2, "jobs at the same time")
	f.StringVar(&w.ID, "id", "", "what to call this worker, letters, digits, _ and - (default host and process)")
	f.BoolVar(&w.commands, "allow-commands", false, "start the commands that the plan names (default off)")
	f.StringArrayVar(&w.env, "allow-env", nil, "let jobs use this variable of ours, by `NAME`; repeatable (default none)")
	f.StringArrayVar(&w.models, "model", nil, "let jobs ask this model, by `ID`, with keys from our variables; repeatable (default none)")
	f.StringVar(&w.region, "region", "", "say that this worker is in this `REGION` (default none)")
	return cmd
}

var notInID = lazyregexp.New(`[^A-Za-z0-9_-]+`)

func (w *workerCommand) work(cmd *cobra.Command, _ []string) error {
	if w.Slots < 1 || w.Slots > 1024 {
		return errors.New("--jobs: want a number from 1 to 1024")
	}
	if w.plan == "" && (w.access.URL == "" || w.key == "" || w.name == "") {
		return errors.New("want --plan, or --nats with --key and --name")
	}
	home := fleet.HomeOf(w.plan)
	if w.plan != "" && w.name == "" {
		plan, err := w.readPlan(w.plan)
		if err != nil {
			return err
		}
		w.name = plan.Name
	}
	var err error
	if w.Keys, err = fleet.ReadKeys(cmp.Or(w.key, home.WorkerKeys()), false); err != nil {
		return err
	}
	w.access.Away = func(away bool) {
		if away {
			w.say("the server of the fleet is away: this worker waits, and joins again as soon as it is there (end it with an interrupt)")
		} else {
			w.say("the server of the fleet is there again")
		}
	}
	server, err := home.Join(w.access)
	if err != nil {
		return err
	}
	defer server.Close()
	if w.Queue, err = server.Open(cmd.Context(), w.name); err != nil {
		return err
	}
	if w.Temp, err = os.MkdirTemp("", "gauntlet-worker-"); err != nil {
		return err
	}
	defer os.RemoveAll(w.Temp)
	host, _ := os.Hostname() // for people alone
	w.ID = notInID.ReplaceAllString(cmp.Or(w.ID, fmt.Sprintf("%s-%d", host, os.Getpid())), "-")
	w.Capabilities = fleet.Detect(w.lookup)
	if w.commands {
		w.Capabilities.Words = append(w.Capabilities.Words, fleet.NeedsCommands)
	}
	w.Capabilities.Allow("region", w.region)
	w.Capabilities.Allow("env", w.env...)
	w.Capabilities.Allow("model", w.models...)
	w.say("worker %s of %s: %d jobs at the same time", w.ID, w.name, w.Slots)
	return w.Run(cmd.Context())
}
