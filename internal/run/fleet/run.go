package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
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

	*Owner
	expansion *expansion
	mu        sync.Mutex // of known
	known     *known
	changed   chan struct{} // something is known that was not
	resumed   bool          // the queue is that of an earlier run of the same plan
}

// A Summary says how a run ended.
type Summary struct {
	Jobs, Ended, Failed int
	// Unfit are jobs that no worker could take, by what is lacking.
	Unfit map[string]int
}

// Do makes the jobs, has them done, and returns when every job has ended, when ctx ends, when the fleet is told to end, or when
// only jobs are left that no worker of this process can take and there are no others.
func (r *Run) Do(ctx context.Context) (*Summary, error) {
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	work, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	loaded := make(chan struct{})
	background.Go(func() { r.follow(work, sync.OnceFunc(func() { close(loaded) })) }) // ends with work
	select {
	case <-loaded:
	case <-ctx.Done():
		return r.summary(nil), nil
	}
	missing, err := r.missing(ctx)
	if err != nil {
		return nil, err
	}
	if r.Workers > 0 {
		if err := r.startWorker(work, &background); err != nil {
			return nil, err
		}
	}
	if waiting, _, err := r.fleet.Queued(ctx); err != nil || !r.resumed || waiting < len(missing) {
		if err := r.enqueue(ctx, missing); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	return r.await(ctx)
}

// prepare opens the fleet, writes the list of jobs, and makes this plan the one whose jobs are started. Jobs of an earlier plan that
// still wait are dropped.
func (r *Run) prepare(ctx context.Context) (err error) {
	r.Owner, r.changed = &Owner{home: r.Home}, make(chan struct{}, 1)
	if r.keys, err = r.Home.OpenKeys(); err != nil {
		return err
	}
	if r.expansion, err = expandPlan(ctx, r.Plan, r.Host, r.Version); err != nil {
		return err
	}
	r.list = &List{Plan: r.expansion.digest, Name: r.Plan.Name, Round: r.Plan.Round, Version: r.Version, Left: r.expansion.left}
	for i := range r.expansion.jobs {
		j := &r.expansion.jobs[i]
		r.list.Jobs = append(r.list.Jobs, Listed{j.ID(), j.Lane, j.Target.Kind, j.Target.Label(), j.Document, j.Needs})
	}
	if err := writeJSON(r.Home.file("jobs.json"), r.list); err != nil {
		return err
	}
	if r.fleet, err = r.Server.Client.Create(ctx, r.Plan.Name, r.Limits); err != nil {
		return err
	}
	r.known = r.newKnown()
	last := r.order(ctx)
	r.resumed = last != nil && last.Plan == r.list.Plan && last.State != fleetplan.Canceled
	if waiting, _, err := r.fleet.Queued(ctx); err == nil && waiting > 0 && !r.resumed {
		r.Note("%d jobs that were queued before, for another state of the plan, are dropped", waiting)
	}
	return r.give(ctx, fleetplan.Order{Plan: r.list.Plan, Version: r.Version, State: fleetplan.Running, Limits: r.Plan.Limits})
}

// follow keeps what is known up to date until ctx ends. loaded is called when everything that was there has been seen.
func (r *Run) follow(ctx context.Context, loaded func()) {
	for ctx.Err() == nil {
		_ = r.fleet.Index.Watch(ctx, ">", func(job string, entry []byte) { // it is begun anew
			r.mu.Lock()
			defer r.mu.Unlock()
			r.known.add(job, entry)
			select {
			case r.changed <- struct{}{}:
			default:
			}
		}, func() bool { loaded(); return true })
		waitFor(ctx, lookInterval)
	}
}

// missing returns the jobs that have not ended. Failed ones are among them where they are to be tried again.
func (r *Run) missing(ctx context.Context) (map[string]bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]bool{}
	for id := range r.known.listed {
		e := r.known.entries[id]
		if e != nil && e.Failed != "" && r.Retry {
			if err := r.fleet.Index.Delete(ctx, id); err != nil {
				return nil, err
			}
			r.known.forget(id)
			e = nil
		}
		if e == nil {
			out[id] = true
		}
	}
	r.Retry = false // what fails in this run has failed
	return out, nil
}

// publishAtOnce is how many jobs are on their way to the queue at a time.
const publishAtOnce = 128

// enqueue makes the queue hold the jobs that are missing and no others. One that a worker has is done twice then, and the first
// result counts.
func (r *Run) enqueue(ctx context.Context, missing map[string]bool) error {
	if err := r.fleet.PurgeJobs(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	slots, epoch, done := make(chan struct{}, publishAtOnce), fmt.Sprint("-", time.Now().UnixNano()), map[string]bool{}
	for _, i := range spreadJobs(r.expansion.jobs) {
		j := &r.expansion.jobs[i]
		if !missing[j.ID()] || ctx.Err() != nil {
			continue
		}
		message, err := r.readyJob(ctx, j, done)
		if err != nil {
			cancel(err)
			continue
		}
		slots <- struct{}{}
		all.Go(func() { // ends with ctx, or when the server has the job
			if err := r.fleet.Publish(ctx, fleetplan.ClassOf(j.Needs), j.ID()+epoch, message); err != nil {
				cancel(err)
			}
			<-slots
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// readyJob seals a job and puts what it needs where workers find it: done are the classes and inputs that are there.
func (r *Run) readyJob(ctx context.Context, j *fleetplan.Job, done map[string]bool) ([]byte, error) {
	if class := fleetplan.ClassOf(j.Needs); !done[class] {
		done[class] = true
		if err := r.fleet.AddClass(ctx, class, joinNeeds(j.Needs), r.Limits); err != nil {
			return nil, err
		}
	}
	for _, digest := range []string{j.Target.Digest, j.DocumentDigest} {
		if digest == "" || done[digest] || !r.Remote && digest == j.Target.Digest {
			continue
		}
		done[digest] = true
		name := r.expansion.files[digest]
		text, err := userfile.ReadText(name, nil, maxInput)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, userfile.Reason(err))
		}
		if _, err := r.fleet.PutFile(ctx, []byte(text)); err != nil {
			return nil, err
		}
	}
	return r.keys.SealJob(j)
}

// spreadJobs is an order of jobs in which those of one paced host or provider stand apart, so that its rate holds up few others.
func spreadJobs(jobs []fleetplan.Job) []int {
	order, rank, seen := make([]int, len(jobs)), make([]int, len(jobs)), map[string]int{}
	for i := range jobs {
		order[i] = i
		if p := jobs[i].Paces; len(p) > 0 {
			rank[i] = seen[p[0].Key]
			seen[p[0].Key]++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank[a] - rank[b] })
	return order
}

// startWorker starts the worker of this process.
func (r *Run) startWorker(ctx context.Context, background *sync.WaitGroup) error {
	w := &Worker{
		Fleet: r.fleet, Keys: r.keys.Worker(), ID: fmt.Sprintf("run-%d", os.Getpid()), Version: r.Version, Slots: r.Workers,
		Capabilities: r.Capabilities, Runner: r.Runner, Temp: r.Home.file("work"), Note: r.Note,
	}
	_ = os.RemoveAll(w.Temp) // what a killed run left
	if err := os.MkdirAll(w.Temp, 0o700); err != nil {
		return err
	}
	background.Go(func() { // ends with ctx
		if err := w.Run(ctx); err != nil {
			r.Note("the worker ended: %s", err)
		}
	})
	return nil
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
	for empty := 0; ; {
		s := r.summary(nil)
		r.Progress(s.Ended, s.Failed, s.Jobs)
		if s.Ended == s.Jobs {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return s, nil
		case <-r.changed:
			continue
		case <-tick.C:
		}
		if unfit := r.unfit(); unfit != nil || r.toldToEnd(ctx) {
			return r.summary(unfit), nil
		}
		if waiting, _, err := r.fleet.Queued(ctx); err != nil || waiting > 0 {
			empty = 0
		} else if empty++; empty == emptyLooks {
			missing, err := r.missing(ctx)
			r.Note("%d jobs are neither queued nor done: they are queued again", len(missing))
			if err = errors.Join(err, r.enqueue(ctx, missing)); err != nil && ctx.Err() == nil {
				return nil, err
			}
			empty = 0
		}
	}
}

// toldToEnd reports whether the plan's owner told the fleet to end, and it has.
func (r *Run) toldToEnd(ctx context.Context) bool {
	o := r.order(ctx)
	if o == nil || o.Plan != r.list.Plan || o.State == fleetplan.Running {
		return false
	}
	classes, err := r.fleet.Classes(ctx)
	return err == nil && !slices.ContainsFunc(classes, func(c broker.Class) bool { return c.Taken > 0 })
}

// unfit returns the jobs that nobody can take, by what is lacking, where nothing else is left and no other worker can come;
// nil while there is hope.
func (r *Run) unfit() map[string]int {
	if r.Workers == 0 || r.Remote {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]int{}
	for i := range r.list.Jobs {
		if j := &r.list.Jobs[i]; r.known.entries[j.ID] == nil {
			lacks := r.Capabilities.Meets(j.Needs)
			if lacks == "" {
				return nil
			}
			out[lacks]++
		}
	}
	return out
}

func (r *Run) summary(unfit map[string]int) *Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Summary{Jobs: len(r.known.listed), Ended: len(r.known.entries), Failed: r.known.failed, Unfit: unfit}
}
