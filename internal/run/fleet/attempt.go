package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/userfile"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// errCanceled stops a job that the plan's owner no longer wants.
var errCanceled = errors.New("the fleet was cancelled")

// backoff is how long a job rests before its next attempt.
func backoff(attempt int) time.Duration {
	return min(time.Second<<min(attempt, 10), 2*time.Minute)
}

// oneJob is one delivery of one job.
type oneJob struct {
	w      *Worker
	d      *Delivery
	job    *Job
	id     string
	limits Limits
}

// lostDeliveries are deliveries beyond the attempts of a job that may get lost with a connection.
const lostDeliveries = 2

// do does the job, unless it has a result. A job that is stopped goes to the next worker, or is dropped where nobody wants it.
func (o *oneJob) do(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	beating := make(chan struct{})
	go func() { // ends with ctx, which this function ends
		defer close(beating)
		o.beat(ctx, cancel)
	}()
	defer func() {
		cancel(nil)
		<-beating
	}()
	if o.d.Attempt > o.limits.Attempts+lostDeliveries {
		o.fail(ctx, fmt.Sprintf("it was given to workers %d times, and none said what became of it", o.d.Attempt-1))
		return
	}
	if there, err := o.w.Queue.Index.Get(ctx, o.id); err == nil && there != nil {
		switch e, err := openEntry(o.w.Keys, o.id, there); {
		case err != nil:
			o.w.refuse(ctx, there, "a result", err)
		case e.State != result.FleetFailed:
			_ = o.d.Done(ctx) // or it comes again and is found done again
			return
		}
	}
	switch err := o.attempt(ctx); {
	case errors.Is(context.Cause(ctx), errCanceled):
		_ = o.d.TermWithReason("cancelled")
	case ctx.Err() != nil:
		_ = o.d.Nak()
	case err == nil:
		o.w.done.Add(1)
		_ = o.d.Done(context.WithoutCancel(ctx)) // or it comes again and is found done
	case o.d.Attempt >= o.limits.Attempts:
		o.fail(ctx, err.Error())
	default:
		_ = o.d.NakWithDelay(backoff(o.d.Attempt))
	}
}

// beatLooks are the looks at the order between two signs to the queue, five seconds: well below the silence after which a job goes
// to another worker.
const beatLooks = 5

// beat tells the queue that the job is under way, and stops it where the fleet is cancelled.
func (o *oneJob) beat(ctx context.Context, cancel context.CancelCauseFunc) {
	for n := 1; waitFor(ctx, lookWait); n++ {
		if order := o.w.order.Load(); order.State == Canceled || order.Plan != o.job.Plan {
			cancel(errCanceled)
			return
		}
		if n%beatLooks == 0 {
			_ = o.d.InProgress() // where the server is away, another worker gets the job, and the first result counts
		}
	}
}

// attempt does the job and stores its result. What fails since nothing can be written, here or in the store, is no attempt.
func (o *oneJob) attempt(ctx context.Context) error {
	for {
		if err := o.untilPossible(ctx, o.hasRoom); err != nil {
			return err
		}
		entry, text, why := o.attemptOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case why == "":
			return o.untilPossible(ctx, func() error { return o.w.storeResult(ctx, entry, text) })
		case o.hasRoom() == nil:
			return errors.New(why)
		}
	}
}

// untilPossible does what fails for no fault of the job: a disk is full, or the store is away. The job stays with this worker
// and spends no attempt, and the person is told.
func (o *oneJob) untilPossible(ctx context.Context, do func() error) error {
	for n := 0; ; n++ {
		err := do()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if n == 0 {
			o.w.Note("%s %s waits, and spends no attempt: %s", o.job.Lane, o.job.Target.Label(), err)
		}
		if !waitFor(ctx, backoff(n)) {
			return err
		}
	}
}

// hasRoom returns why nothing can be written where jobs work.
func (o *oneJob) hasRoom() error {
	name := filepath.Join(o.w.Temp, "room-"+o.id)
	defer os.Remove(name)
	return os.WriteFile(name, make([]byte, 1<<20), 0o600)
}

func (o *oneJob) attemptOnce(ctx context.Context) (entry *Entry, text []byte, why string) {
	dir, err := os.MkdirTemp(o.w.Temp, "job-")
	if err != nil {
		return nil, nil, err.Error()
	}
	defer os.RemoveAll(dir)
	args, err := o.prepare(ctx, dir)
	if err != nil {
		return nil, nil, err.Error()
	}
	began := time.Now()
	entry = o.entry()
	end := o.w.Runner.run(ctx, o.job, o.limits, args, dir)
	if ctx.Err() != nil {
		return nil, nil, ""
	}
	end.report = o.nameInputs(end.report, dir)
	entry.Exit, entry.Milliseconds = end.exit, time.Since(began).Milliseconds()
	return entry, end.report, o.judge(entry, &end)
}

func (o *oneJob) entry() *Entry {
	return &Entry{FleetJob: result.FleetJob{ID: o.id, Lane: string(o.job.Lane), Document: o.job.Document, State: result.FleetDone, Worker: o.w.ID, Attempts: min(o.d.Attempt, o.limits.Attempts)}}
}

// The names of what a job reads, in its directory.
const (
	targetFile   = "target.json"
	documentFile = "document.yaml"
)

// nameInputs has a report call files what the plan calls them, and not by their places in the directory of a worker, which is gone
// when somebody reads it. Reports name places from the root or from the working directory.
func (o *oneJob) nameInputs(report []byte, dir string) []byte {
	places := []string{dir}
	if absolute, err := filepath.Abs(dir); err == nil {
		places = append(places, absolute)
		if here, err := os.Getwd(); err == nil {
			if relative, err := filepath.Rel(here, absolute); err == nil {
				places = append(places, relative)
			}
		}
	}
	slices.SortFunc(places, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
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
	file, document := filepath.Join(dir, targetFile), filepath.Join(dir, documentFile)
	if o.job.Target.Kind == File {
		if err := o.input(ctx, file, o.job.Target.Digest, o.job.Target.Value[0]); err != nil {
			return nil, fmt.Errorf("the file of the target: %w", err)
		}
	}
	if o.job.DocumentDigest != "" {
		if err := o.input(ctx, document, o.job.DocumentDigest, ""); err != nil {
			return nil, fmt.Errorf("the attack document: %w", err)
		}
	}
	return o.job.Args(file, document, filepath.Join(dir, reportName)), nil
}

// input writes the content with a digest into the directory of the job. A file of this machine serves if it has the
// digest; else the store has it.
func (o *oneJob) input(ctx context.Context, to, digest, here string) error {
	if filepath.IsAbs(here) {
		if text, err := userfile.ReadText(here, nil, maxInput); err == nil && Digest([]byte(text)) == digest {
			return os.WriteFile(to, []byte(text), 0o600)
		}
	}
	content, err := o.w.Queue.File(ctx, digest, maxInput)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}

// fail records the failure for good and takes the job off the queue, in this order: a job is in one of the two at any time.
func (o *oneJob) fail(ctx context.Context, why string) {
	e := o.entry()
	e.State, e.Reason = result.FleetFailed, excerpt.Clip(why, maxReason)
	if err := o.w.record(ctx, e); err != nil {
		_ = o.d.NakWithDelay(backoff(o.d.Attempt))
		return
	}
	o.w.failed.Add(1)
	o.w.Note("%s %s failed: %s", o.job.Lane, o.job.Target.Label(), excerpt.Clip(why, 400))
	_ = o.d.TermWithReason(excerpt.Clip(why, 200))
}

// judge reads what the job's report says into the entry. It returns why there is no result, "" if there is one. What was not done
// is in the words of the report, which decides whether it is complete.
func (o *oneJob) judge(e *Entry, end *ending) (why string) {
	switch {
	case end.cause != "":
		return end.cause + said(end.tail)
	case end.report == nil:
		return fmt.Sprintf("it wrote no report, exit code %d%s", end.exit, said(end.tail))
	}
	r, undone, err := readResult(o.job.Lane, end.report)
	if err != nil {
		return "its output is not a report: " + err.Error()
	}
	e.Counts = countsOf(r)
	switch {
	case len(undone) > 0:
		e.State, e.Reason = result.FleetIncomplete, excerpt.Clip(strings.TrimPrefix(undone[0], "attack "+o.job.Document+": "), maxReason) // which reports say anyway
		if n := len(undone) - 1; n > 0 {
			e.Reason += fmt.Sprintf(" (and %d more in its report)", n)
		}
	case end.exit != result.ExitOK && end.exit != result.ExitGate:
		e.State, e.Reason = result.FleetIncomplete, fmt.Sprintf("exit code %d%s", end.exit, said(end.tail))
	}
	live := o.job.Target.Kind == URL || o.job.Target.Kind == Command
	if live && o.job.Lane == Scan && r.Summary.Servers == 0 && o.d.Attempt < o.limits.Attempts {
		return "nothing could be read: " + e.Reason // perhaps next time
	}
	return ""
}

// readResult reads a report, and what it says was not done, the cause first. Of a report on models it keeps the counts alone.
func readResult(lane LaneName, text []byte) (r *result.Report, undone []string, err error) {
	r = &result.Report{}
	if lane == Redteam {
		var models result.RedTeam
		if err := json.Unmarshal(text, &models); err != nil || models.Models == nil {
			return nil, nil, fmt.Errorf("want one on models (%v)", err)
		}
		r.Summary.BySeverity = map[string]int{}
		for i := range models.Models {
			m := &models.Models[i]
			r.Summary.BySeverity["exploited"] += m.Exploited
			r.Summary.BySeverity["resisted"] += m.Resisted
			r.Summary.BySeverity["inconclusive"] += m.Inconclusive
		}
		return r, models.Undone, nil
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, nil, err
	}
	if r.SchemaVersion == "" {
		return nil, nil, fmt.Errorf("it has no schema_version")
	}
	slices.SortStableFunc(r.Problems, func(a, b finding.Problem) int { // what was not read is what came of it
		return map[bool]int{true: 1}[b.Kind == finding.Failed] - map[bool]int{true: 1}[a.Kind == finding.Failed]
	})
	return r, r.Undone(), nil
}

// countsOf are the findings of a report by severity, and its attacks by outcome.
func countsOf(r *result.Report) map[string]int {
	counts := map[string]int{}
	for severity, n := range r.Summary.BySeverity {
		if n > 0 {
			counts[severity] = n
		}
	}
	for i := range r.Attacks {
		if v := r.Attacks[i].Verdict; v != nil {
			counts[string(v.Outcome)]++
		}
	}
	return counts
}

func said(tail string) string {
	if tail == "" {
		return ""
	}
	return ": " + tail
}
