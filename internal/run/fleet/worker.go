package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/result"
)

// A Worker does jobs of one fleet, several at a time.
type Worker struct {
	Queue        *Queue
	Keys         *Keys
	ID           string
	Version      string // of gauntlet; the plan must want the same
	Slots        int    // jobs at the same time
	Capabilities Capabilities
	Runner       Runner
	Temp         string // a directory for what jobs read and write
	// Note is told what a person should know; it is called from several goroutines.
	Note func(format string, args ...any)

	order   atomic.Pointer[Order]
	classes atomic.Pointer[[]Class]

	running, done, failed, refused atomic.Int64
}

// Times of a worker.
const (
	lookWait    = time.Second            // between looks at what a fleet is told
	emptyWait   = 500 * time.Millisecond // for a job of one class
	sayLooks    = 5                      // looks between signs of life
	sayTime     = 5 * time.Second        // for saying something that can do without an answer
	workerLife  = 30 * time.Second       // silence after which a worker counts as gone
	maxRefusals = 100                    // records of refused messages, of one worker
)

// Run works until ctx ends, or until the fleet is told to end and every job of this worker has ended. Jobs under way when ctx ends
// are stopped and go to others.
func (w *Worker) Run(ctx context.Context) error {
	attend, stop := context.WithCancel(ctx)
	var attending, slots sync.WaitGroup
	attending.Go(func() { w.attend(attend) }) // ends with attend
	errs := make([]error, w.Slots)
	for i := range errs {
		slots.Go(func() { errs[i] = w.workSlot(ctx) }) // ends with ctx, or with an order to end
	}
	slots.Wait()
	stop()
	attending.Wait()
	return errs[0] // all slots had the same orders
}

// attend keeps the last order of the plan's owner and the classes of jobs that fit this worker, and gives signs of life, until
// ctx ends.
func (w *Worker) attend(ctx context.Context) {
	var heard []byte
	for n := 0; ; n++ {
		news := n%sayLooks == 0
		if message, err := w.Queue.State.Get(ctx, orderKey); err == nil && message != nil && !bytes.Equal(message, heard) {
			heard, news = message, true
			w.obey(ctx, message)
		}
		if all, err := w.Queue.Classes(ctx); err == nil {
			fit := slices.DeleteFunc(all, func(c Class) bool { return w.Capabilities.Meets(c.Needs) != "" })
			w.classes.Store(&fit)
		}
		if news {
			w.sayAlive(ctx)
		}
		if !waitFor(ctx, lookWait) {
			gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_ = w.Queue.State.Delete(gone, workerKey+w.ID) // it is forgotten anyway
			cancel()
			return
		}
	}
}

// obey takes an order, unless a stranger gave it or it is older than the last.
func (w *Worker) obey(ctx context.Context, message []byte) {
	o := &Order{}
	if err := w.Keys.open(purposeOrder, message, o); err != nil {
		w.refuse(ctx, message, "an order", err)
		return
	}
	for {
		last := w.order.Load()
		if last != nil && o.Issued <= last.Issued || w.order.CompareAndSwap(last, o) {
			return
		}
	}
}

// About is what a worker says of itself.
type About struct {
	ID           string    `json:"id"`
	Host         string    `json:"host"`
	Process      int       `json:"process"`
	Version      string    `json:"version"`
	Slots        int       `json:"slots"`
	Running      int64     `json:"running"`
	Done         int64     `json:"done"`
	Failed       int64     `json:"failed"`
	Refused      int64     `json:"refused"`
	Capabilities []string  `json:"capabilities"`
	At           time.Time `json:"at"`
	// State is what it was last told.
	State State `json:"state"`
}

// The keys of a fleet's state.
const (
	orderKey  = "order"
	workerKey = "worker."
)

// sayAlive tells the fleet that this worker is there.
func (w *Worker) sayAlive(ctx context.Context) {
	host, _ := os.Hostname() // for people alone
	var state State
	if order := w.order.Load(); order != nil {
		state = order.State
	}
	text, err := json.Marshal(About{w.ID, host, os.Getpid(), w.Version, w.Slots, w.running.Load(), w.done.Load(), w.failed.Load(), w.refused.Load(), w.Capabilities.Words, time.Now(), state})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sayTime)
	defer cancel()
	_ = w.Queue.State.Put(ctx, workerKey+w.ID, w.Keys.SealText(text)) // the next sign of life comes soon
}

// refuse records that a message was no one's of this plan. Only the first of them are recorded: whoever can send one can
// send a million.
func (w *Worker) refuse(ctx context.Context, message []byte, what string, why error) {
	if w.refused.Add(1) > maxRefusals {
		return
	}
	w.Note("refused %s: %s", what, why)
	ctx, cancel := context.WithTimeout(ctx, sayTime)
	defer cancel()
	_ = w.record(ctx, &Entry{FleetJob: result.FleetJob{ID: refusal + Digest(message)[:32], State: result.FleetFailed, Reason: fmt.Sprintf("refused %s: %s", what, why), Worker: w.ID}}) // it has been noted
}

// waitFor waits, and reports whether ctx still goes on.
func waitFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (w *Worker) workSlot(ctx context.Context) error {
	for ctx.Err() == nil {
		order := w.order.Load()
		switch {
		case order == nil:
			waitFor(ctx, emptyWait/5)
			continue
		case order.Version != w.Version:
			return fmt.Errorf("the plan is one of gauntlet %s and this worker is %s: results would not be comparable", order.Version, w.Version)
		case order.State != Running:
			return nil
		}
		if d := w.take(ctx); d != nil {
			w.running.Add(1)
			w.handle(ctx, d)
			w.running.Add(-1)
		}
	}
	return nil
}

// take returns a job of any class that fits, nil if none came for a while. The classes are asked in another order each time,
// so that none starves.
func (w *Worker) take(ctx context.Context) *Delivery {
	classes := w.classes.Load()
	if classes == nil || len(*classes) == 0 {
		waitFor(ctx, emptyWait)
		return nil
	}
	order := rand.Perm(len(*classes))
	for n, i := range append(order, order[0]) {
		wait := emptyWait * time.Duration(n/len(order)) // once all have nothing at the moment
		d, err := w.Queue.Next(ctx, (*classes)[i].Name, wait)
		if err == nil && d != nil {
			return d
		}
		if err != nil && wait > 0 {
			waitFor(ctx, emptyWait) // the server is away; the client connects again
		}
	}
	return nil
}

// handle does with one message what is to be done with it. Whatever it holds, the worker goes on.
func (w *Worker) handle(ctx context.Context, d *Delivery) {
	job, err := w.Keys.OpenJob(d.Data())
	var order *Order
	if err == nil {
		if order = w.order.Load(); order.Plan != job.Plan { // perhaps of an order that this worker has not heard of yet
			message, stateErr := w.Queue.State.Get(ctx, orderKey)
			if stateErr != nil {
				_ = d.NakWithDelay(backoff(1))
				return
			}
			w.obey(ctx, message)
			if order = w.order.Load(); order.Plan != job.Plan {
				err = errors.New("it is one of another plan")
			}
		}
	}
	switch {
	case err != nil:
		w.refuse(ctx, d.Data(), "a job", err)
		_ = d.TermWithReason(err.Error()) // or it comes again and is refused again
	case w.Capabilities.Meets(job.Needs) != "":
		_ = d.NakWithDelay(10 * time.Second)
	default:
		(&oneJob{w: w, d: d, job: job, id: job.ID(), limits: order.Limits}).do(ctx)
	}
}
