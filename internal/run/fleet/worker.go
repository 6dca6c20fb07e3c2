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
	Keys         *fleetplan.Keys
	ID           string
	Version      string // of gauntlet; the plan must want the same
	Slots        int    // jobs at the same time
	Capabilities Capabilities
	Runner       Runner
	Temp         string // a directory for what jobs read and write
	// Note is told what a person should know; it is called from several goroutines.
	Note func(format string, args ...any)

	order   atomic.Pointer[fleetplan.Order]
	classes atomic.Pointer[[]broker.Class]
	failed  atomic.Int64
	done    atomic.Int64
	running atomic.Int64
	refused atomic.Int64
}

// Times of a worker.
const (
	lookWait    = time.Second            // between looks at what a fleet is told
	emptyWait   = 500 * time.Millisecond // for a job of one class
	sayLooks    = 5                      // looks between signs of life
	sayTime     = 5 * time.Second        // for saying something that can do without an answer
	maxRefusals = 100                    // records of refused messages, of one worker
)

// errDrained ends a worker that was told to end.
var errDrained = errors.New("drained")

// Run works until ctx ends, or until the fleet is drained or cancelled and every job of this worker has ended. Jobs under way
// when ctx ends are stopped and go to others.
func (w *Worker) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var attending sync.WaitGroup
	attending.Go(func() { w.attend(ctx) }) // ends with ctx
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
	attending.Wait()
	if err := wrong.Load(); err != nil && !errors.Is(*err, errDrained) {
		return *err
	}
	return nil
}

// attend keeps the last order of the plan's owner and the classes of jobs that fit this worker, and gives signs of life, until
// ctx ends.
func (w *Worker) attend(ctx context.Context) {
	var heard []byte
	for n := 0; ; n++ {
		if message, err := w.Fleet.State(ctx, orderKey); err == nil && !bytes.Equal(message, heard) {
			heard = message
			w.obey(ctx, message)
		}
		w.chooseClasses(ctx)
		if n%sayLooks == 0 {
			w.sayAlive(ctx)
		}
		if !waitFor(ctx, lookWait) {
			gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_ = w.Fleet.DropState(gone, workerKey+w.ID) // it is forgotten anyway
			cancel()
			return
		}
	}
}

// obey takes an order, unless a stranger gave it or it is older than the last.
func (w *Worker) obey(ctx context.Context, message []byte) {
	o, err := w.Keys.OpenOrder(message)
	if err != nil {
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

// chooseClasses keeps the classes of jobs that fit this worker.
func (w *Worker) chooseClasses(ctx context.Context) {
	all, err := w.Fleet.Classes(ctx)
	if err != nil {
		return
	}
	fit := slices.DeleteFunc(all, func(c broker.Class) bool { return w.Capabilities.Meets(splitNeeds(c.Needs)) != "" })
	w.classes.Store(&fit)
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

// The keys of a fleet's state.
const (
	orderKey  = "order"
	workerKey = "worker."
)

// workerLife is the silence after which a worker counts as gone.
const workerLife = 30 * time.Second

// sayAlive tells the fleet that this worker is there.
func (w *Worker) sayAlive(ctx context.Context) {
	host, _ := os.Hostname() // for people alone
	text, err := json.Marshal(About{w.ID, host, os.Getpid(), w.Version, w.Slots, w.running.Load(), w.done.Load(), w.failed.Load(), w.refused.Load(), w.Capabilities.Words, time.Now()})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sayTime)
	defer cancel()
	_ = w.Fleet.PutState(ctx, workerKey+w.ID, w.Keys.SealText(text)) // the next sign of life comes soon
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
		case order.State != fleetplan.Running:
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
