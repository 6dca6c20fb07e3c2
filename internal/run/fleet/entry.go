package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/runtime/broker"
)

// An Entry is what the index says of one job that has a result. It is sealed by the worker that wrote it.
type Entry struct {
	Job      string             `json:"job"`
	Lane     fleetplan.LaneName `json:"lane"`
	Target   string             `json:"target"`
	Document string             `json:"document,omitempty"`
	// Complete is false where a part of what was asked for was unread; First says what.
	Complete bool           `json:"complete"`
	Exit     int            `json:"exit"`
	Counts   map[string]int `json:"counts,omitempty"` // findings by severity, or outcomes
	First    string         `json:"first,omitempty"`  // the first problem
	Digest   string         `json:"digest"`           // of the compressed report
	Size     int            `json:"size"`             // of the compressed report, in bytes
	Worker   string         `json:"worker"`
	Attempt  int            `json:"attempt"`
	Began    time.Time      `json:"began"`
	Took     time.Duration  `json:"took_ns"`
}

// A Failure is what is recorded of a job that has no result after its last attempt. It is sealed as well.
type Failure struct {
	Job      string             `json:"job"`
	Lane     fleetplan.LaneName `json:"lane,omitempty"`
	Target   string             `json:"target,omitempty"`
	Document string             `json:"document,omitempty"`
	Reason   string             `json:"reason"`
	Attempts int                `json:"attempts"`
	Worker   string             `json:"worker"`
	At       time.Time          `json:"at"`
}

// Longest texts that entries quote, in bytes.
const (
	maxReason = 2000
	maxReport = 64 << 20 // a report, before compression
)

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// openEntry returns the entry of a job, if a worker of the plan wrote it for that job.
func openEntry(keys *fleetplan.WorkerKeys, job string, message []byte) (*Entry, error) {
	text, err := keys.OpenText(message)
	if err != nil {
		return nil, err
	}
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil || e.Job != job {
		return nil, fleetplan.ErrForged // sealed for another purpose
	}
	return &e, nil
}

// openFailure returns the failure of a job, if a worker of the plan recorded it for that job.
func openFailure(keys *fleetplan.WorkerKeys, job string, message []byte) (*Failure, error) {
	text, err := keys.OpenText(message)
	if err != nil {
		return nil, err
	}
	var f Failure
	if err := json.Unmarshal(text, &f); err != nil || f.Job != job || f.Reason == "" {
		return nil, fleetplan.ErrForged
	}
	return &f, nil
}

func compress(report []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(report); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readReport returns the report of an entry: what the store holds must have the digest that the entry was sealed with.
func readReport(ctx context.Context, f *broker.Fleet, e *Entry) ([]byte, error) {
	packed, err := f.Result(ctx, e.Job, e.Digest, maxReport)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxReport+1))
	if err == nil && len(text) > maxReport {
		err = fmt.Errorf("it has more than %d bytes", maxReport)
	}
	return text, err
}

// storeResult writes the result of a job once: the first sealed entry stays, and a report that no entry names is removed.
func (w *Worker) storeResult(ctx context.Context, e *Entry, report []byte) error {
	packed, err := compress(report)
	if err != nil {
		return err
	}
	if e.Digest, err = w.Fleet.PutResult(ctx, e.Job, packed); err != nil {
		return err
	}
	e.Size = len(packed)
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	sealed := w.Keys.SealText(text)
	err = w.Fleet.CreateEntry(ctx, e.Job, sealed)
	if !errors.Is(err, broker.ErrExists) {
		return err
	}
	there, revision, err := w.Fleet.Entry(ctx, e.Job)
	if err != nil {
		return err
	}
	first, err := openEntry(w.Keys, e.Job, there)
	if err != nil { // a stranger's: it is no result, and the place is ours
		return w.Fleet.ReplaceEntry(ctx, e.Job, sealed, revision)
	}
	if first.Digest != e.Digest {
		return w.Fleet.DropResult(ctx, e.Job, e.Digest)
	}
	return nil
}
