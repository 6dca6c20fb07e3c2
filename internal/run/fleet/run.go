package fleet

import (
	"context"
	"fmt"
	"maps"
	"os"
	"sync"
	"time"

	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

// A Run is one run of a plan.
type Run struct {
	Plan    *Plan
	Home    Home
	Reserve Reserve
	Version string
	// Workers are those of this process: how many jobs at a time; 0 leaves all to workers elsewhere.
	Workers      int
	Capabilities Capabilities
	Runner       Runner
	// Retry has jobs tried again that failed in an earlier run.
	Retry bool

	Note     func(format string, args ...any)
	Progress func(ended, all int)

	Owner
	expansion *expansion
	resumed   bool // the queue is that of an earlier run of the same plan
}

// remote reports whether workers may be on other machines: what jobs read goes to the store then.
func (r *Run) remote() bool { return r.Server.embedded == nil || r.Workers == 0 }

// A Summary says how a run ended.
type Summary struct {
	Jobs, Ended int
	// Unfit are jobs that no worker could take, by what is lacking.
	Unfit map[string]int
}

// Do makes the jobs, has them done, and returns when every job has ended, when ctx ends, when the fleet is told to end, or when
// only jobs are left that no worker of this process can take and there are no others.
func (r *Run) Do(ctx context.Context) (*Summary, error) {
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	k, err := r.load(ctx)
	if err == nil && r.Retry {
		err = r.forgetFailures(ctx, k)
	}
	if err != nil {
		return nil, err
	}
	work, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	if r.Workers > 0 {
		if err := r.startWorker(work, &background); err != nil {
			return nil, err
		}
	}
	if waiting, _, err := r.queue.Queued(ctx); err != nil || !r.resumed || waiting < len(k.listed)-len(k.entries) {
		if err := r.enqueue(ctx, k); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	unfit, err := r.await(ctx, len(k.listed))
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if k, err = r.load(ctx); err != nil {
		return nil, err
	}
	return &Summary{Jobs: len(k.listed), Ended: len(k.entries), Unfit: unfit}, nil
}

func (r *Run) forgetFailures(ctx context.Context, k *known) error {
	for id, e := range maps.Clone(k.entries) {
		if e.State != result.FleetFailed {
			continue
		}
		if err := r.queue.Index.Delete(ctx, id); err != nil {
			return err
		}
		delete(k.entries, id)
	}
	return nil
}

// prepare opens the fleet, writes the list of jobs, and makes this plan the one whose jobs are started. Jobs of an earlier plan that
// still wait are dropped.
func (r *Run) prepare(ctx context.Context) (err error) {
	if r.keys, err = r.Home.OpenKeys(); err != nil {
		return err
	}
	if r.expansion, err = expandPlan(ctx, r.Plan, r.Version); err != nil {
		return err
	}
	r.list = &r.expansion.list
	if err := writeJSON(r.Home.file("jobs.json"), r.list); err != nil {
		return err
	}
	if r.queue, err = r.Server.Create(ctx, r.Plan.Name, r.Reserve); err != nil {
		return err
	}
	last := r.order(ctx)
	r.resumed = last != nil && last.Plan == r.list.Plan && last.State != Canceled
	if waiting, _, err := r.queue.Queued(ctx); err == nil && waiting > 0 && !r.resumed {
		r.Note("%d jobs that were queued before, for another state of the plan, are dropped", waiting)
	}
	return r.give(ctx, Order{Plan: r.list.Plan, Version: r.Version, State: Running, Limits: r.Plan.Limits})
}

// publishAtOnce is how many jobs are on their way to the queue at a time.
const publishAtOnce = 128

// enqueue makes the queue hold the jobs that have not ended and no others. One that a worker has is done twice then, and the first
// result counts.
func (r *Run) enqueue(ctx context.Context, k *known) error {
	if err := r.queue.PurgeJobs(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	slots, epoch, done := make(chan struct{}, publishAtOnce), fmt.Sprint("-", time.Now().UnixNano()), map[string]bool{}
	for i := range r.expansion.jobs {
		j := &r.expansion.jobs[i]
		if k.entries[j.ID()] != nil || ctx.Err() != nil {
			continue
		}
		message, err := r.readyJob(ctx, j, done)
		if err != nil {
			cancel(err)
			continue
		}
		slots <- struct{}{}
		all.Go(func() { // ends with ctx, or when the server has the job
			if err := r.queue.Publish(ctx, ClassOf(j.Needs), j.ID()+epoch, message); err != nil {
				cancel(err)
			}
			<-slots
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// readyJob seals a job and puts what it needs where workers find it: done are the classes and inputs that are there.
func (r *Run) readyJob(ctx context.Context, j *Job, done map[string]bool) ([]byte, error) {
	if class := ClassOf(j.Needs); !done[class] {
		done[class] = true
		if err := r.queue.AddClass(ctx, class, j.Needs, r.Reserve); err != nil {
			return nil, err
		}
	}
	for _, digest := range []string{j.Target.Digest, j.DocumentDigest} {
		if digest == "" || done[digest] || !r.remote() && digest == j.Target.Digest {
			continue
		}
		done[digest] = true
		name := r.expansion.files[digest]
		text, err := userfile.ReadText(name, nil, maxInput)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, userfile.Reason(err))
		}
		if _, err := r.queue.PutFile(ctx, []byte(text)); err != nil {
			return nil, err
		}
	}
	return r.keys.SealJob(j)
}

func (r *Run) startWorker(ctx context.Context, background *sync.WaitGroup) error {
	w := &Worker{
		Queue: r.queue, Keys: r.keys.Worker(), ID: fmt.Sprintf("run-%d", os.Getpid()), Version: r.Version, Slots: r.Workers,
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

// lookInterval is the time between looks at the queue.
const lookInterval = 250 * time.Millisecond

// await waits until the queue is empty and every job has ended: workers take a job off the queue once the index has what became of
// it. Jobs that are neither queued nor ended, as after a disk that lost what it had acknowledged, are queued again. It also returns
// when the fleet was told to end and every worker has, since a job of one that was killed stays taken in the queue, or with the jobs that nobody can take, by what is lacking.
func (r *Run) await(ctx context.Context, all int) (unfit map[string]int, err error) {
	for waitFor(ctx, lookInterval) {
		waiting, _, err := r.queue.Queued(ctx)
		if err != nil {
			continue // the server is away
		}
		r.Progress(max(0, all-waiting), all)
		classes, err := r.queue.Classes(ctx)
		if err != nil {
			continue
		}
		if o := r.order(ctx); o != nil && o.State != Running {
			if workers, err := r.workers(ctx); err == nil && len(workers) == 0 {
				return nil, nil
			}
			continue
		}
		if unfit := r.unfit(classes); unfit != nil {
			return unfit, nil
		}
		if waiting > 0 {
			continue
		}
		k, err := r.load(ctx)
		if err != nil || len(k.entries) == len(k.listed) {
			return nil, err
		}
		r.Note("%d jobs are neither queued nor done: they are queued again", len(k.listed)-len(k.entries))
		if err := r.enqueue(ctx, k); err != nil {
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// unfit returns the jobs that nobody can take, by what is lacking, where nothing else is left and no other worker can come;
// nil while there is hope.
func (r *Run) unfit(classes []Class) map[string]int {
	if r.remote() {
		return nil
	}
	var out map[string]int
	for _, c := range classes {
		switch lacks := r.Capabilities.Meets(c.Needs); {
		case c.Waiting+c.Taken == 0:
		case lacks == "":
			return nil
		case out == nil:
			out = map[string]int{lacks: c.Waiting}
		default:
			out[lacks] += c.Waiting
		}
	}
	return out
}
