package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/runtime/broker"
)

// A Worker does jobs of one fleet, several at a time.
type Worker struct {
	Fleet        *broker.Fleet
	Keys         *fleetplan.WorkerKeys
	ID           string
	Version      string // of gauntlet; the plan must want the same
	Slots        int    // jobs at the same time
	Capabilities Capabilities
	Runner       Runner
	Temp         string // a directory for what jobs read and write
	// Note is told what a person should know; it is called from several goroutines.
	Note func(format string, args ...any)

	order   atomic.Pointer[fleetplan.Order]
	changed chan struct{} // an order came
	classes atomic.Pointer[[]broker.Class]
	failed  atomic.Int64
	done    atomic.Int64
	running atomic.Int64
	refused atomic.Int64
}

// Times of a worker.
const (
	orderWait   = 2 * time.Second        // between looks at what a fleet is told, where nothing was heard
	emptyWait   = 500 * time.Millisecond // for a job of one class
	sayInterval = 5 * time.Second        // between signs of life
	maxRefusals = 100                    // records of refused messages, of one worker
)

// errDrained ends a worker that was told to end.
var errDrained = errors.New("drained")

// Run works until ctx ends, or until the fleet is drained or cancelled and every job of this worker has ended. Jobs under way
// when ctx ends are stopped and go to others.
func (w *Worker) Run(ctx context.Context) error {
	w.changed = make(chan struct{}, 1)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var helpers sync.WaitGroup
	for _, help := range []func(context.Context){w.watchOrders, w.watchClasses, w.sayAlive} {
		helpers.Go(func() { help(ctx) }) // ends with ctx
	}
	var slots sync.WaitGroup
	var wrong atomic.Pointer[error]
	for range w.Slots {
		slots.Go(func() { // ends with ctx, or with an order to end
			if err := w.workSlot(ctx); err != nil {
				wrong.Store(&err)
				stop(err)
			}
		})
	}
	slots.Wait()
	stop(nil)
	helpers.Wait()
	if err := wrong.Load(); err != nil && !errors.Is(*err, errDrained) {
		return *err
	}
	return nil
}

// watchOrders keeps the last order of the plan's owner.
func (w *Worker) watchOrders(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.Fleet.WatchOrder(ctx, w.obey); err != nil {
			waitFor(ctx, orderWait)
		}
	}
}

// obey takes an order, unless a stranger gave it or it is older than the last.
func (w *Worker) obey(message []byte) {
	o, err := w.Keys.OpenOrder(message)
	if err != nil {
		w.refuse(context.Background(), message, "an order", err)
		return
	}
	for {
		last := w.order.Load()
		if last != nil && o.Issued <= last.Issued {
			return
		}
		if w.order.CompareAndSwap(last, o) {
			break
		}
	}
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// watchClasses keeps the classes of jobs that fit this worker.
func (w *Worker) watchClasses(ctx context.Context) {
	for {
		if all, err := w.Fleet.Classes(ctx); err == nil {
			var fit []broker.Class
			for _, c := range all {
				if w.Capabilities.Meets(splitNeeds(c.Needs)) == "" {
					fit = append(fit, c)
				}
			}
			w.classes.Store(&fit)
		}
		select {
		case <-ctx.Done():
			return
		case <-w.changed:
		case <-time.After(orderWait):
		}
	}
}

func joinNeeds(needs []string) string { return strings.Join(needs, "\n") }

func splitNeeds(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
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
}

// sayAlive tells the fleet that this worker is there, and in the end that it is gone.
func (w *Worker) sayAlive(ctx context.Context) {
	host, _ := os.Hostname() // for people alone
	for {
		text, err := json.Marshal(About{w.ID, host, os.Getpid(), w.Version, w.Slots, w.running.Load(), w.done.Load(), w.failed.Load(), w.refused.Load(), w.Capabilities.Words(), time.Now()})
		if err == nil {
			say, cancel := context.WithTimeout(ctx, sayInterval)
			_ = w.Fleet.PutWorker(say, w.ID, w.Keys.SealText(text)) // the next sign of life comes soon
			cancel()
		}
		if !waitFor(ctx, sayInterval) {
			gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_ = w.Fleet.DropWorker(gone, w.ID) // it is forgotten anyway
			cancel()
			return
		}
	}
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

// workSlot takes one job after the other.
func (w *Worker) workSlot(ctx context.Context) error {
	for ctx.Err() == nil {
		order := w.order.Load()
		switch {
		case order == nil:
			waitFor(ctx, emptyWait/5)
			continue
		case order.Version != w.Version:
			return fmt.Errorf("the plan is one of gauntlet %s and this worker is %s: results would not be comparable", order.Version, w.Version)
		case order.State != fleetplan.Running || w.isNamed(order.Drain):
			return errDrained
		}
		d := w.take(ctx)
		if d == nil {
			continue
		}
		w.running.Add(1)
		w.handle(ctx, d)
		w.running.Add(-1)
	}
	return nil
}

func (w *Worker) isNamed(ids []string) bool {
	for _, id := range ids {
		if id == w.ID {
			return true
		}
	}
	return false
}

// take returns a job of any class that fits, nil if none came for a while. The classes are asked in another order each time,
// so that none starves.
func (w *Worker) take(ctx context.Context) *broker.Delivery {
	classes := w.classes.Load()
	if classes == nil || len(*classes) == 0 {
		waitFor(ctx, emptyWait)
		return nil
	}
	order := rand.Perm(len(*classes))
	if len(order) > 1 {
		for _, i := range order {
			if d, err := w.Fleet.Next(ctx, (*classes)[i].Name, 0); err == nil && d != nil {
				return d
			}
		}
	}
	d, err := w.Fleet.Next(ctx, (*classes)[order[0]].Name, emptyWait)
	if err != nil {
		waitFor(ctx, emptyWait) // the server is away; the client connects again
	}
	return d
}
