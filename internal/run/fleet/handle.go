package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/broker"
	"gauntlet/rawjson"
)

// errCanceled stops a job that the plan's owner no longer wants.
var errCanceled = errors.New("the fleet was cancelled")

// backoff is how long a job rests before its next attempt.
func backoff(attempt int) time.Duration {
	return min(time.Second<<min(attempt, 10), 2*time.Minute)
}

// handle does with one message what is to be done with it. Whatever it holds, the worker goes on.
func (w *Worker) handle(ctx context.Context, d *broker.Delivery) {
	job, err := w.Keys.OpenJob(d.Data())
	if err != nil {
		w.refuse(ctx, d.Data(), "a job", err)
		_ = d.Drop(err.Error()) // or it comes again and is refused again
		return
	}
	order, err := w.orderOf(ctx, job)
	switch {
	case err != nil:
		_ = d.Again(backoff(1))
		return
	case job.Plan != order.Plan || job.Version != w.Version:
		w.refuse(ctx, d.Data(), "a job", errors.New("it is one of another plan"))
		_ = d.Drop("it is one of another plan")
		return
	case w.Capabilities.Meets(job.Needs) != "":
		_ = d.Again(10 * time.Second)
		return
	}
	one := &oneJob{w: w, d: d, job: job, id: job.ID(), limits: order.Limits}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	beating := make(chan struct{})
	go func() { // ends with ctx, which this function ends
		defer close(beating)
		one.beat(ctx, cancel)
	}()
	one.do(ctx)
	cancel(nil)
	<-beating
}

// orderOf returns the order that stands, asking for a newer one where the job is of another plan than the last that was heard.
func (w *Worker) orderOf(ctx context.Context, job *fleetplan.Job) (*fleetplan.Order, error) {
	if o := w.order.Load(); o != nil && o.Plan == job.Plan {
		return o, nil
	}
	message, err := w.Fleet.State(ctx, orderKey)
	if err != nil {
		return nil, err
	}
	w.obey(ctx, message)
	return w.order.Load(), nil
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
	_ = w.record(ctx, &Entry{Job: refusal + broker.Digest(message)[:32], Failed: fmt.Sprintf("refused %s: %s", what, why), Worker: w.ID, Began: time.Now().UTC()}) // it has been noted
}

// refusal begins the names of entries about messages that were refused.
const refusal = "refused-"

// oneJob is one attempt at one job.
type oneJob struct {
	w      *Worker
	d      *broker.Delivery
	job    *fleetplan.Job
	id     string
	limits fleetplan.Limits
}

// beatInterval is well below the silence after which a job goes to another worker.
const beatInterval = 5 * time.Second

// beat tells the queue that the job is under way, and stops it where the fleet is cancelled.
func (o *oneJob) beat(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(beatInterval / 5)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if order := o.w.order.Load(); order.State == fleetplan.Canceled || order.Plan != o.job.Plan {
			cancel(errCanceled)
			return
		}
		if n%5 == 0 {
			_ = o.d.Working() // where the server is away, another worker gets the job, and the first result counts
		}
	}
}

// lostDeliveries are deliveries beyond the attempts of a job that may get lost with a connection.
const lostDeliveries = 2

func (o *oneJob) do(ctx context.Context) {
	if o.d.Attempt > o.limits.Attempts+lostDeliveries {
		o.fail(ctx, fmt.Sprintf("it was given to workers %d times, and none said what became of it", o.d.Attempt-1))
		return
	}
	if there, err := o.w.Fleet.Entry(ctx, o.id); err == nil && there != nil {
		switch e, err := openEntry(o.w.Keys, o.id, there); {
		case err != nil:
			o.w.refuse(ctx, there, "a result", err)
		case e.Failed == "":
			_ = o.d.Done(ctx) // or it comes again and is found done again
			return
		}
	}
	if err := o.keepPace(ctx); err != nil {
		o.putBack(ctx)
		return
	}
	entry, packed := o.attempt(ctx)
	if entry != nil && o.untilPossible(ctx, func() error { return o.w.storeResult(ctx, entry, packed) }) {
		o.w.done.Add(1)
		_ = o.d.Done(context.WithoutCancel(ctx)) // or it comes again and is found done
	}
}

// untilPossible does what fails for no fault of the job: a disk is full, or the store is away. The job stays with this worker
// and spends no attempt, and the person is told. It reports whether it was done before ctx ended; if not, the job was put back.
func (o *oneJob) untilPossible(ctx context.Context, do func() error) bool {
	for n := 0; ; n++ {
		err := do()
		if err == nil {
			return true
		}
		if n == 0 {
			o.w.Note("%s %s waits, and spends no attempt: %s", o.job.Lane, o.job.Target.Label(), err)
		}
		if ctx.Err() != nil || !waitFor(ctx, backoff(n)) {
			o.putBack(ctx)
			return false
		}
	}
}

// hasRoom returns why nothing can be written where jobs work.
func (o *oneJob) hasRoom() error {
	name := filepath.Join(o.w.Temp, "room-"+o.id)
	defer os.Remove(name)
	return os.WriteFile(name, make([]byte, 1<<20), 0o600)
}

// keepPace waits until the job may begin by every rate that holds for it.
func (o *oneJob) keepPace(ctx context.Context) error {
	for _, p := range o.job.Paces {
		wait, err := o.w.Fleet.Reserve(ctx, p.Key, p.Rate.Interval(), time.Now)
		if err != nil {
			return err
		}
		if !waitFor(ctx, wait) {
			return ctx.Err()
		}
	}
	return nil
}

// putBack gives a job that was stopped to the next worker, or drops it where nobody wants it.
func (o *oneJob) putBack(ctx context.Context) {
	if errors.Is(context.Cause(ctx), errCanceled) {
		_ = o.d.Drop("cancelled")
		return
	}
	_ = o.d.Again(0)
}

// attempt does the job once and returns what came of it; nil where there is nothing, and the job was put back, is tried again or
// has failed.
func (o *oneJob) attempt(ctx context.Context) (*Entry, []byte) {
	for {
		if !o.untilPossible(ctx, o.hasRoom) {
			return nil, nil
		}
		entry, text, why := o.attemptOnce(ctx)
		switch {
		case ctx.Err() != nil:
			o.putBack(ctx)
			return nil, nil
		case why == "":
			return entry, text
		case o.hasRoom() == nil:
			o.again(ctx, why)
			return nil, nil
		}
	}
}

func (o *oneJob) attemptOnce(ctx context.Context) (entry *Entry, text []byte, why string) {
	dir, err := o.w.workDir()
	if err != nil {
		return nil, nil, err.Error()
	}
	defer os.RemoveAll(dir)
	args, err := o.prepare(ctx, dir)
	if err != nil {
		return nil, nil, err.Error()
	}
	began := time.Now()
	end := o.w.Runner.run(ctx, o.job, o.limits, args, dir)
	if ctx.Err() != nil {
		return nil, nil, ""
	}
	end.report = o.nameInputs(end.report, dir)
	entry = o.entry()
	entry.Exit, entry.Began, entry.Took = end.exit, began.UTC(), time.Since(began)
	return entry, end.report, o.judge(entry, &end)
}

// entry is what every entry of the job says.
func (o *oneJob) entry() *Entry {
	return &Entry{Job: o.id, Lane: o.job.Lane, Target: o.job.Target.Label(), Document: o.job.Document, Worker: o.w.ID, Attempt: min(o.d.Attempt, o.limits.Attempts), Began: time.Now().UTC()}
}

// The names of what a job reads, in its directory.
const (
	targetFile   = "target.json"
	documentFile = "document.yaml"
)

// nameInputs has a report call files what the plan calls them, and not by their places in the directory of a worker, which is gone
// when somebody reads it.
func (o *oneJob) nameInputs(report []byte, dir string) []byte {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		absolute = dir
	}
	places := []string{absolute, dir}
	if here, err := os.Getwd(); err == nil {
		if relative, err := filepath.Rel(here, absolute); err == nil {
			places = append(places, relative)
		}
	}
	slices.SortFunc(places, func(a, b string) int { return len(b) - len(a) }) // one may be the end of another
	for _, place := range places {
		for name, label := range map[string]string{targetFile: o.job.Target.Label(), documentFile: o.job.Document} {
			report = bytes.ReplaceAll(report, inJSON(filepath.Join(place, name)), inJSON(filepath.ToSlash(label)))
		}
	}
	return report
}

// inJSON is a text as it stands inside a string of JSON.
func inJSON(s string) []byte {
	quoted := rawjson.Quote(s)
	return []byte(quoted[1 : len(quoted)-1])
}

// prepare puts what the job reads into its directory, and returns the arguments.
func (o *oneJob) prepare(ctx context.Context, dir string) ([]string, error) {
	file, document := "", ""
	var err error
	if o.job.Target.Kind == fleetplan.File {
		if file, err = o.input(ctx, dir, targetFile, o.job.Target.Digest, o.job.Target.Value[0]); err != nil {
			return nil, fmt.Errorf("the file of the target: %w", err)
		}
	}
	if o.job.DocumentDigest != "" {
		if document, err = o.input(ctx, dir, documentFile, o.job.DocumentDigest, ""); err != nil {
			return nil, fmt.Errorf("the attack document: %w", err)
		}
	}
	return o.job.Args(file, document, filepath.Join(dir, reportName)), nil
}

// input writes the content with a digest into the directory of the job. A file of this machine serves if it has the
// digest; else the store has it.
func (o *oneJob) input(ctx context.Context, dir, name, digest, here string) (string, error) {
	content := []byte(nil)
	if filepath.IsAbs(here) {
		if text, err := userfile.ReadText(here, nil, maxInput); err == nil && broker.Digest([]byte(text)) == digest {
			content = []byte(text)
		}
	}
	if content == nil {
		var err error
		if content, err = o.w.Fleet.File(ctx, digest, maxInput); err != nil {
			return "", err
		}
	}
	to := filepath.Join(dir, name)
	return to, os.WriteFile(to, content, 0o600)
}

func said(tail string) string {
	if tail == "" {
		return ""
	}
	return ": " + tail
}

// again has the job tried again after a while, or records that it failed if that was the last attempt.
func (o *oneJob) again(ctx context.Context, why string) {
	if o.d.Attempt >= o.limits.Attempts {
		o.fail(ctx, why)
		return
	}
	_ = o.d.Again(backoff(o.d.Attempt))
}

// fail records the failure for good and takes the job off the queue, in this order: a job is in one of the two at any time.
func (o *oneJob) fail(ctx context.Context, why string) {
	e := o.entry()
	e.Failed = cut(why, maxReason)
	if err := o.w.record(ctx, e); err != nil {
		_ = o.d.Again(backoff(o.d.Attempt))
		return
	}
	o.w.failed.Add(1)
	o.w.Note("%s %s failed: %s", o.job.Lane, o.job.Target.Label(), why)
	_ = o.d.Drop(cut(why, 200))
}
