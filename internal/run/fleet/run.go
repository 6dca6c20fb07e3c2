package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/broker"
	"gauntlet/internal/runtime/discover"
)

// A Run is one run of a plan.
type Run struct {
	Plan    *fleetplan.Plan
	Home    Home
	Server  *Server
	Limits  broker.Limits
	Host    discover.Host // for configurations that the plan names
	Version string
	// Workers are those of this process: how many jobs at a time; 0 leaves all to workers elsewhere.
	Workers      int
	Capabilities Capabilities
	Runner       Runner
	// Remote says that workers may be on other machines: what jobs read goes to the store.
	Remote bool
	// Retry has jobs tried again that failed in an earlier run.
	Retry bool

	Note     func(format string, args ...any)
	Progress func(ended, failed, all int)
	// Each is called with what became of each job; nil for nobody.
	Each func(*Entry)

	fleet     *broker.Fleet
	keys      *fleetplan.Keys
	expansion *expansion
	list      *List
	collector *collector
	worker    atomic.Pointer[Worker] // of this process, nil for none
	resumed   bool                   // the queue is that of an earlier run of the same plan
}

// A Summary says how a run ended.
type Summary struct {
	Jobs, Ended, Failed int
	// Unfit are jobs that no worker could take, by what is lacking.
	Unfit map[string]int
	Left  int // targets of which no job was made
}

// Do makes the jobs, has them done, and returns when every job has ended, when ctx ends, when the fleet is cancelled, or when
// only jobs are left that no worker of this process can take and there are no others.
func (r *Run) Do(ctx context.Context) (*Summary, error) {
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	work, stop := context.WithCancel(ctx)
	defer stop()
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	loaded := make(chan struct{})
	background.Go(func() { r.collector.follow(work, func() { close(loaded) }) }) // ends with work
	select {
	case <-loaded:
	case <-ctx.Done():
		return r.summary(nil), nil
	}
	if r.Retry {
		if err := r.collector.forgetFailures(ctx); err != nil {
			return nil, err
		}
	}
	r.worker.Store(r.startWorker(work, &background))
	missing := r.collector.missing()
	if waiting, _, err := r.fleet.Queued(ctx); err != nil || !r.resumed || waiting < len(missing) {
		if err := r.enqueue(ctx, missing); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	return r.await(ctx)
}

// prepare opens the fleet, tells workers which plan holds, and writes the list of jobs.
func (r *Run) prepare(ctx context.Context) (err error) {
	if r.keys, err = r.Home.OpenKeys(); err != nil {
		return err
	}
	if r.expansion, err = expandPlan(ctx, r.Plan, r.Host, r.Version); err != nil {
		return err
	}
	e := r.expansion
	r.list = &List{Plan: e.digest, Name: r.Plan.Name, Round: r.Plan.Round, Version: r.Version, Left: e.left}
	for i := range e.jobs {
		j := &e.jobs[i]
		r.list.Jobs = append(r.list.Jobs, Listed{j.ID(), j.Lane, j.Target.Kind, j.Target.Label(), j.Document, j.Needs})
	}
	if err := r.Home.WriteList(r.list); err != nil {
		return err
	}
	r.Limits.Job = fleetplan.MaxJob
	if r.fleet, err = r.Server.Client.Create(ctx, r.Plan.Name, r.Limits); err != nil {
		return err
	}
	r.collector = newCollector(r.fleet, r.keys.Worker(), r.list, false, r.Each)
	return r.giveOrder(ctx)
}

// giveOrder makes this plan the one whose jobs are started. Jobs of an earlier plan that still wait are dropped.
func (r *Run) giveOrder(ctx context.Context) error {
	message, err := r.fleet.State(ctx, orderKey)
	if err != nil {
		return err
	}
	last, err := r.keys.Worker().OpenOrder(message)
	if r.resumed = err == nil && last.Plan == r.list.Plan && last.State != fleetplan.Canceled; err == nil && !r.resumed {
		if waiting, _, err := r.fleet.Queued(ctx); err == nil && waiting > 0 {
			r.Note("%d jobs of an earlier state of the plan were still queued and are dropped", waiting)
		}
	}
	return putOrder(ctx, r.fleet, r.keys, &fleetplan.Order{Plan: r.list.Plan, Version: r.Version, State: fleetplan.Running, Limits: r.Plan.Limits})
}

func putOrder(ctx context.Context, f *broker.Fleet, keys *fleetplan.Keys, o *fleetplan.Order) error {
	o.Issued = time.Now().UnixNano()
	message, err := keys.SealOrder(o)
	if err != nil {
		return err
	}
	return f.PutState(ctx, orderKey, message)
}

// enqueue makes the queue hold the jobs that are missing and no others. One that a worker has is done twice then, and the first
// result counts. Jobs of one host are spread over the queue, so that its rate holds up few.
func (r *Run) enqueue(ctx context.Context, missing map[string]bool) error {
	if err := r.fleet.PurgeJobs(ctx); err != nil {
		return err
	}
	messages := make(chan broker.Message)
	published := make(chan error, 1)
	go func() { published <- r.fleet.Publish(ctx, messages) }() // ends when messages is closed
	err := r.sendJobs(ctx, missing, messages)
	close(messages)
	return errors.Join(err, <-published)
}

func (r *Run) sendJobs(ctx context.Context, missing map[string]bool, to chan<- broker.Message) error {
	done := map[string]bool{} // classes and inputs
	for _, i := range spreadJobs(r.expansion.jobs) {
		j := &r.expansion.jobs[i]
		if !missing[j.ID()] {
			continue
		}
		if class := fleetplan.ClassOf(j.Needs); !done[class] {
			done[class] = true
			if err := r.fleet.AddClass(ctx, class, joinNeeds(j.Needs)); err != nil {
				return err
			}
		}
		for _, digest := range []string{j.Target.Digest, j.DocumentDigest} {
			if digest == "" || done[digest] || !r.Remote && digest == j.Target.Digest {
				continue
			}
			done[digest] = true
			if err := r.putInput(ctx, digest); err != nil {
				return err
			}
		}
		message, err := r.keys.SealJob(j)
		if err != nil {
			return err
		}
		to <- broker.Message{Class: fleetplan.ClassOf(j.Needs), Data: message}
	}
	return nil
}

// putInput stores what a job reads where workers elsewhere find it.
func (r *Run) putInput(ctx context.Context, digest string) error {
	text, err := userfile.ReadText(r.expansion.files[digest], nil, maxInput)
	if err != nil {
		return fmt.Errorf("%s: %w", r.expansion.files[digest], userfile.Reason(err))
	}
	_, err = r.fleet.PutFile(ctx, []byte(text))
	return err
}

// spreadJobs is an order of jobs in which those of one paced host or provider stand apart.
func spreadJobs(jobs []fleetplan.Job) []int {
	order := make([]int, 0, len(jobs))
	var names []string
	by := map[string][]int{}
	for i := range jobs {
		name := ""
		if p := jobs[i].Paces; len(p) > 0 {
			name = p[0].Key
		}
		if by[name] == nil {
			names = append(names, name)
		}
		by[name] = append(by[name], i)
	}
	for len(order) < len(jobs) {
		for _, name := range names {
			if waiting := by[name]; len(waiting) > 0 {
				order, by[name] = append(order, waiting[0]), waiting[1:]
			}
		}
	}
	return order
}

// startWorker starts the worker of this process, nil for none.
func (r *Run) startWorker(ctx context.Context, background *sync.WaitGroup) *Worker {
	if r.Workers == 0 {
		return nil
	}
	w := &Worker{
		Fleet: r.fleet, Keys: r.keys.Worker(), ID: fmt.Sprintf("run-%d", os.Getpid()), Version: r.Version, Slots: r.Workers,
		Capabilities: r.Capabilities, Runner: r.Runner, Temp: r.Home.file("work"), Note: r.Note,
	}
	_ = os.RemoveAll(w.Temp) // what a killed run left
	if err := os.MkdirAll(w.Temp, 0o700); err != nil {
		r.Note("no worker: %s", err)
		return nil
	}
	background.Go(func() { // ends with ctx
		if err := w.Run(ctx); err != nil {
			r.Note("the worker ended: %s", err)
		}
	})
	return w
}

// Times of waiting.
const (
	lookInterval = 2 * time.Second // between looks at the queue
	emptyLooks   = 3               // looks at an empty queue after which missing jobs are taken for lost
)

// await waits until every job has ended. Jobs that are neither queued nor ended, as after a disk that lost what it had
// acknowledged, are published again.
func (r *Run) await(ctx context.Context) (*Summary, error) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	empty := 0
	for {
		ended, failed, all := r.collector.counts()
		r.Progress(ended, failed, all)
		if ended == all {
			return r.summary(nil), nil
		}
		select {
		case <-ctx.Done():
			return r.summary(nil), nil
		case <-r.collector.changed:
			continue
		case <-tick.C:
		}
		if r.canceled(ctx) {
			return r.summary(nil), nil
		}
		if unfit := r.unfit(); unfit != nil {
			return r.summary(unfit), nil
		}
		waiting, _, err := r.fleet.Queued(ctx)
		if err != nil || waiting > 0 {
			empty = 0
			continue
		}
		if empty++; empty == emptyLooks {
			empty = 0
			missing := r.collector.missing()
			r.Note("%d jobs are neither queued nor done: they are queued again", len(missing))
			if err := r.enqueue(ctx, missing); err != nil && ctx.Err() == nil {
				return nil, err
			}
		}
	}
}

// canceled reports whether the plan's owner called the fleet off, or told it to drain and it has.
func (r *Run) canceled(ctx context.Context) bool {
	message, err := r.fleet.State(ctx, orderKey)
	if err != nil {
		return false
	}
	o, err := r.keys.Worker().OpenOrder(message)
	if err != nil || o.Plan != r.list.Plan || o.State == fleetplan.Running {
		return false
	}
	classes, err := r.fleet.Classes(ctx)
	if err != nil {
		return false
	}
	for _, c := range classes {
		if c.Taken > 0 {
			return false
		}
	}
	return true
}

// unfit returns the jobs that nobody can take, by what is lacking, where nothing else is left and no other worker can come;
// nil while there is hope.
func (r *Run) unfit() map[string]int {
	worker := r.worker.Load()
	if worker == nil || r.Remote {
		return nil
	}
	out := map[string]int{}
	for i := range r.list.Jobs {
		if j := &r.list.Jobs[i]; !r.collector.hasEnded(j.ID) {
			lacks := worker.Capabilities.Meets(j.Needs)
			if lacks == "" {
				return nil
			}
			out[lacks]++
		}
	}
	return out
}

func (r *Run) summary(unfit map[string]int) *Summary {
	ended, failed, all := r.collector.counts()
	return &Summary{Jobs: all, Ended: ended, Failed: failed, Unfit: unfit, Left: len(r.list.Left)}
}
