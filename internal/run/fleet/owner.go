package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
)

// An Owner looks at a fleet and tells it what to do, with the keys of the plan.
type Owner struct {
	Server *Server

	queue *Queue
	keys  *Keys
	list  *result.Fleet
}

// OpenOwner opens the fleet of a plan that was begun before, whether a program runs it now or not. The caller closes its Server.
func (h Home) OpenOwner(ctx context.Context, a Access) (o *Owner, err error) {
	o = &Owner{}
	if o.keys, err = ReadKeys(h.file("plan.key"), true); errors.Is(err, userfile.ErrMissing) {
		return nil, fmt.Errorf("%s has no fleet yet: begin one with gauntlet-fleet run", h.Dir)
	} else if err != nil {
		return nil, err
	}
	if o.list, err = h.readList(); err != nil {
		return nil, err
	}
	if o.Server, err = h.Join(a); err != nil && a.URL == "" {
		o.Server, err = h.Begin(a)
	}
	if err != nil {
		return nil, err
	}
	if o.queue, err = o.Server.Open(ctx, o.list.Name); err != nil {
		o.Server.Close()
	}
	return o, err
}

// order is what the fleet was last told, nil if that is not known.
func (o *Owner) order(ctx context.Context) *Order {
	message, err := o.queue.State.Get(ctx, orderKey)
	if err != nil {
		return nil
	}
	order := &Order{}
	if o.keys.open(purposeOrder, message, order) != nil {
		return nil
	}
	return order
}

func (o *Owner) give(ctx context.Context, order Order) error {
	order.Issued = time.Now().UnixNano()
	message, err := o.keys.sign(purposeOrder, order)
	if err != nil {
		return err
	}
	return o.queue.State.Put(ctx, orderKey, message)
}

// Tell gives the fleet another order. Cancelled, its queue is emptied; what has a result keeps it.
func (o *Owner) Tell(ctx context.Context, state State) error {
	order := o.order(ctx)
	if order == nil {
		return fmt.Errorf("the order of the fleet %s cannot be read, or the key of this plan did not sign it", o.list.Name)
	}
	order.State = state
	if err := o.give(ctx, *order); err != nil || state != Canceled {
		return err
	}
	return o.queue.PurgeJobs(ctx)
}

// known is what became of the jobs of a list.
type known struct {
	keys    *Keys
	listed  map[string]bool   // every job that should end
	entries map[string]*Entry // of those that ended
	forged  map[string]bool   // those whose entry no worker of the plan wrote
	refused map[string]string // why messages were refused, by their names
}

func (k *known) add(job string, message []byte) {
	e, err := openEntry(k.keys, job, message)
	switch {
	case err == nil && strings.HasPrefix(job, refusal):
		k.refused[job] = e.Reason
	case k.listed[job]: // else of an earlier plan
		if err == nil {
			k.entries[job] = e
		} else {
			k.forged[job] = true
		}
	}
}

func (k *known) failures() (n int) {
	for _, e := range k.entries {
		if e.State == result.FleetFailed {
			n++
		}
	}
	return n
}

// load collects everything that is known of the jobs now.
func (o *Owner) load(ctx context.Context) (*known, error) {
	k := &known{keys: o.keys, listed: map[string]bool{}, entries: map[string]*Entry{}, forged: map[string]bool{}, refused: map[string]string{}}
	for _, t := range o.list.Targets {
		for i := range t.Jobs {
			k.listed[t.Jobs[i].ID] = true
		}
	}
	return k, o.queue.Index.List(ctx, ">", k.add)
}

// A Status is what a fleet is doing.
type Status struct {
	Name    string   `json:"name"`
	Plan    string   `json:"plan"`
	State   State    `json:"state"`
	Jobs    int      `json:"jobs"`
	Done    int      `json:"done"`
	Failed  int      `json:"failed"`
	Waiting int      `json:"waiting"` // in the queue, with no worker
	Taken   int      `json:"taken"`   // that workers have
	Forged  int      `json:"forged"`  // entries that no worker of the plan wrote
	Bytes   int64    `json:"queue_bytes"`
	Classes []Class  `json:"classes"`
	Workers []About  `json:"workers"`
	Refused []string `json:"refused,omitempty"` // messages of strangers
}

// Status says what the fleet is doing.
func (o *Owner) Status(ctx context.Context) (*Status, error) {
	k, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	s := &Status{Name: o.list.Name, Plan: o.list.Plan, State: "unknown", Jobs: len(k.listed), Failed: k.failures(), Done: len(k.entries) - k.failures(), Forged: len(k.forged), Refused: slices.Sorted(maps.Values(k.refused))}
	if order := o.order(ctx); len(k.entries) == s.Jobs {
		s.State = "ended"
	} else if order != nil {
		s.State = order.State
	}
	if s.Classes, err = o.queue.Classes(ctx); err != nil {
		return nil, err
	}
	for _, c := range s.Classes {
		s.Waiting, s.Taken = s.Waiting+c.Waiting, s.Taken+c.Taken
	}
	if _, s.Bytes, err = o.queue.Queued(ctx); err != nil {
		return nil, err
	}
	s.Workers, err = o.workers(ctx)
	return s, err
}

// workers are those that are there; what strangers write about themselves is left out.
func (o *Owner) workers(ctx context.Context) (out []About, err error) {
	err = o.queue.State.List(ctx, workerKey+"*", func(_ string, message []byte) {
		var a About
		if text, err := o.keys.OpenText(message); err == nil && json.Unmarshal(text, &a) == nil && a.ID != "" && time.Since(a.At) < workerLife {
			out = append(out, a)
		}
	})
	slices.SortFunc(out, func(a, b About) int { return strings.Compare(a.ID, b.ID) })
	return out, err
}

// Write writes the state of a fleet, as "text" or as "json".
func (s *Status) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(s)
	case "text":
	default:
		return fmt.Errorf("--format: unknown format %q: want text or json", format)
	}
	lines := []string{
		fmt.Sprintf("fleet %s: %s", s.Name, s.State),
		fmt.Sprintf("jobs    %d: %d done, %d failed, %d handed to workers, %d waiting (%d KB on disk)", s.Jobs, s.Done, s.Failed, s.Taken, s.Waiting, s.Bytes>>10),
	}
	for _, c := range s.Classes {
		if len(c.Needs) > 0 && c.Waiting+c.Taken > 0 {
			lines = append(lines, fmt.Sprintf("        %d of them need %s", c.Waiting+c.Taken, strings.Join(c.Needs, ", ")))
		}
	}
	for _, k := range s.Workers {
		lines = append(lines, fmt.Sprintf("worker  %s (%s): %d of %d running, %d done, %d failed, %d refused; %s", k.ID, k.State, k.Running, k.Slots, k.Done, k.Failed, k.Refused, strings.Join(k.Capabilities, ", ")))
	}
	if len(s.Workers) == 0 {
		lines = append(lines, "worker  none is there")
	}
	for _, r := range s.Refused {
		lines = append(lines, "refused "+r)
	}
	if s.Forged > 0 {
		lines = append(lines, fmt.Sprintf("forged  %d results that no worker of the plan wrote", s.Forged))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, report.Visible(line)); err != nil {
			return err
		}
	}
	return nil
}

// Report makes, once, the report over all jobs of the plan. It is complete only where every job has a complete result. Unless directory is
// "", reports of each target are written there as well; one that cannot be read is told to note and makes its job one not done.
func (o *Owner) Report(ctx context.Context, directory string, note func(format string, args ...any)) (*result.Fleet, error) {
	k, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	r := o.list // it serves this report
	r.Refused = slices.Sorted(maps.Values(k.refused))
	waiting := "it is not done yet: no worker has taken it, or one still does it"
	if order := o.order(ctx); order != nil && order.State != Running {
		waiting = fmt.Sprintf("the fleet was told to end first (%s)", order.State)
	}
	for _, t := range r.Targets {
		for i := range t.Jobs {
			switch j := &t.Jobs[i]; {
			case k.entries[j.ID] != nil:
				*j = k.entries[j.ID].FleetJob
			case k.forged[j.ID]:
				j.Reason = "the index holds a result that no worker of the plan wrote"
			default:
				j.Reason = waiting + j.Reason
			}
		}
	}
	if directory != "" {
		if err := o.writeDirectory(ctx, directory, k, r, note); err != nil {
			return nil, err
		}
	}
	r.Summarize()
	return r, nil
}
