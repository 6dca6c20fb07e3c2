package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gauntlet/internal/runtime/broker"
	"gauntlet/result"
)

// An Entry is what became of one job: its result, or why it has none after its last attempt. It is sealed by the worker that
// wrote it.
type Entry struct {
	result.FleetJob
	Digest string `json:"digest,omitempty"` // of the compressed report
}

// refusal begins the names of entries about messages that were refused.
const refusal = "refused-"

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
func openEntry(keys *Keys, job string, message []byte) (*Entry, error) {
	text, err := keys.OpenText(message)
	if err != nil {
		return nil, err
	}
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil || e.ID != job {
		return nil, ErrForged // sealed for another purpose
	}
	return &e, nil
}

// readReport returns the report of an entry: what the store holds must have the digest that the entry was sealed with.
func readReport(ctx context.Context, f *broker.Fleet, e *Entry) ([]byte, error) {
	packed, err := f.File(ctx, e.Digest, maxReport)
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

// storeResult writes the result of a job once: the first sealed one stays.
func (w *Worker) storeResult(ctx context.Context, e *Entry, report []byte) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(report)
	if err = errors.Join(err, z.Close()); err != nil {
		return err
	}
	if e.Digest, err = w.Fleet.PutFile(ctx, packed.Bytes()); err != nil {
		return err
	}
	return w.record(ctx, e)
}

// record writes what became of a job. A result takes the place of a failure, and either that of what no worker wrote.
func (w *Worker) record(ctx context.Context, e *Entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return w.Fleet.Index.Swap(ctx, e.ID, func(there []byte) []byte {
		if first, err := openEntry(w.Keys, e.ID, there); err == nil && (first.State != result.FleetFailed || e.State == result.FleetFailed) {
			return nil
		}
		return w.Keys.SealText(text)
	})
}
