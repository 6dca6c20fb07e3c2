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
	nats                        natsFlags
	plan, key, name, id, region string
	slots                       int
	commands                    bool
	env, models                 []string
}

func (a *app) newWorkerCommand() *cobra.Command {
	w := &workerCommand{app: a}
	cmd := &cobra.Command{Use: "worker [flags]", Short: "Run a worker of a fleet", Args: cobra.NoArgs, RunE: w.work}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&w.plan, "plan", "", "join the run of this plan `FILE` on this machine (default none)")
	f.StringVar(&w.key, "key", "", "the `FILE` worker.key of the plan (default that beside --plan)")
	f.StringVar(&w.name, "name", "", "`NAME` of the fleet, as the plan has it (default that of --plan)")
	w.nats.add(cmd, "the server of --plan")
	f.IntVar(&w.slots, "jobs", 2, "jobs at the same time")
	f.StringVar(&w.id, "id", "", "what to call this worker, letters, digits, _ and - (default host and process)")
	f.BoolVar(&w.commands, "allow-commands", false, "start the commands that the plan names (default off)")
	f.StringArrayVar(&w.env, "allow-env", nil, "let jobs use this variable of ours, by `NAME`; repeatable (default none)")
	f.StringArrayVar(&w.models, "model", nil, "let jobs ask this model, by `ID`, with keys from our variables; repeatable (default none)")
	f.StringVar(&w.region, "region", "", "say that this worker is in this `REGION` (default none)")
	return cmd
}

var notInID = lazyregexp.New(`[^A-Za-z0-9_-]+`)

func (w *workerCommand) work(cmd *cobra.Command, _ []string) error {
	access, err := w.nats.access()
	if err != nil {
		return err
	}
	if w.slots < 1 || w.slots > 1024 {
		return errors.New("--jobs: want a number from 1 to 1024")
	}
	if w.plan == "" && (access.URL == "" || w.key == "" || w.name == "") {
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
	keys, err := fleet.ReadKeys(cmp.Or(w.key, home.WorkerKeys()), false)
	if err != nil {
		return err
	}
	access.Away = func(away bool) {
		if away {
			w.say("the server of the fleet is away: this worker waits, and joins again as soon as it is there (end it with an interrupt)")
		} else {
			w.say("the server of the fleet is there again")
		}
	}
	server, err := home.Join(access)
	if err != nil {
		return err
	}
	defer server.Close()
	f, err := server.Client.Open(cmd.Context(), w.name)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "gauntlet-worker-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	host, _ := os.Hostname() // for people alone
	one := &fleet.Worker{
		Fleet: f, Keys: keys, ID: notInID.ReplaceAllString(cmp.Or(w.id, fmt.Sprintf("%s-%d", host, os.Getpid())), "-"), Version: version(), Slots: w.slots,
		Capabilities: fleet.Detect(w.lookup), Runner: w.runner(), Temp: temp, Note: w.say,
	}
	if w.commands {
		one.Capabilities.Words = append(one.Capabilities.Words, fleet.NeedsCommands)
	}
	one.Capabilities.Allow("region", w.region)
	one.Capabilities.Allow("env", w.env...)
	one.Capabilities.Allow("model", w.models...)
	w.say("worker %s of %s: %d jobs at the same time", one.ID, w.name, one.Slots)
	return one.Run(cmd.Context())
}
