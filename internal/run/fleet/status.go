package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/runtime/broker"
)

// A Status is what a fleet is doing.
type Status struct {
	Name    string          `json:"name"`
	Plan    string          `json:"plan"`
	State   fleetplan.State `json:"state"`
	Jobs    int             `json:"jobs"`
	Done    int             `json:"done"`
	Failed  int             `json:"failed"`
	Waiting int             `json:"waiting"` // in the queue, with no worker
	Taken   int             `json:"taken"`   // that workers have
	Forged  int             `json:"forged"`  // entries that no worker of the plan wrote
	Bytes   int64           `json:"queue_bytes"`
	Classes []ClassStatus   `json:"classes"`
	Workers []About         `json:"workers"`
	Refused []string        `json:"refused,omitempty"` // messages of strangers
}

// A ClassStatus is about the jobs that need the same of a worker.
type ClassStatus struct {
	Needs   []string `json:"needs"`
	Waiting int      `json:"waiting"`
	Taken   int      `json:"taken"`
}

// An Owner looks at a fleet and tells it what to do, with the keys of the plan.
type Owner struct {
	Home  Home
	Fleet *broker.Fleet
	keys  *fleetplan.Keys
	list  *List
}

// OpenOwner opens a fleet that was begun before.
func OpenOwner(ctx context.Context, h Home, s *Server) (*Owner, error) {
	keys, err := h.ReadKeys()
	if err != nil {
		return nil, err
	}
	list, err := h.ReadList()
	if err != nil {
		return nil, err
	}
	f, err := s.Client.Open(ctx, list.Name)
	if err != nil {
		return nil, err
	}
	return &Owner{h, f, keys, list}, nil
}

// load collects everything that is known of the jobs now.
func (o *Owner) load(ctx context.Context) (*collector, error) {
	c := newCollector(o.Fleet, o.keys.Worker(), o.list, true, nil)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loaded, over := make(chan struct{}), make(chan struct{})
	go func() { // ends with ctx, which this function ends
		defer close(over)
		c.follow(ctx, func() { close(loaded) })
	}()
	var err error
	select {
	case <-loaded:
	case <-ctx.Done():
		err = ctx.Err()
	}
	cancel()
	<-over
	return c, err
}

// Status says what the fleet is doing.
func (o *Owner) Status(ctx context.Context) (*Status, error) {
	c, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	s := &Status{Name: o.list.Name, Plan: o.list.Plan, State: "unknown", Jobs: len(o.list.Jobs), Failed: c.failed, Done: len(c.entries) - c.failed, Forged: c.forgeries(), Refused: c.refusals()}
	if order, err := o.order(ctx); err == nil {
		s.State = order.State
	}
	classes, err := o.Fleet.Classes(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range classes {
		s.Waiting, s.Taken = s.Waiting+k.Waiting, s.Taken+k.Taken
		s.Classes = append(s.Classes, ClassStatus{splitNeeds(k.Needs), k.Waiting, k.Taken})
	}
	if _, s.Bytes, err = o.Fleet.Queued(ctx); err != nil {
		return nil, err
	}
	s.Workers, err = o.workers(ctx)
	return s, err
}

// order is what the fleet was last told.
func (o *Owner) order(ctx context.Context) (*fleetplan.Order, error) {
	message, err := o.Fleet.State(ctx, orderKey)
	if err != nil {
		return nil, err
	}
	return o.keys.Worker().OpenOrder(message)
}

// workers are those that are there; what strangers write about themselves is left out.
func (o *Owner) workers(ctx context.Context) (out []About, err error) {
	all, err := o.Fleet.States(ctx, workerKey+"*")
	if err != nil {
		return nil, err
	}
	for _, message := range all {
		var a About
		if text, err := o.keys.Worker().OpenText(message); err == nil && json.Unmarshal(text, &a) == nil && a.ID != "" && time.Since(a.At) < workerLife {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b About) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// Watch calls each with what became of every job, those that ended before included, until all have ended or ctx ends.
func (o *Owner) Watch(ctx context.Context, each func(*Entry)) error {
	c := newCollector(o.Fleet, o.keys.Worker(), o.list, false, each)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	go func() { // ends with ctx
		defer close(over)
		c.follow(ctx, func() {})
	}()
	for {
		if ended, _, all := c.counts(); ended == all {
			break
		}
		select {
		case <-ctx.Done():
			<-over
			return nil
		case <-c.changed:
		}
	}
	cancel()
	<-over
	return nil
}

// Cancel stops the fleet: workers stop what they do, and the queue is emptied. What has a result keeps it.
func (o *Owner) Cancel(ctx context.Context) error {
	if err := o.tell(ctx, fleetplan.Canceled); err != nil {
		return err
	}
	return o.Fleet.PurgeJobs(ctx)
}

// Drain has workers end what they do and begin nothing. What is queued stays.
func (o *Owner) Drain(ctx context.Context) error { return o.tell(ctx, fleetplan.Draining) }

func (o *Owner) tell(ctx context.Context, state fleetplan.State) error {
	order, err := o.order(ctx)
	if err != nil {
		return fmt.Errorf("what the fleet was told: %w", err)
	}
	order.State = state
	return putOrder(ctx, o.Fleet, o.keys, order)
}
