package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gauntlet/result"
)

// Keys are those of a plan. Owner, which signs jobs and orders, is nil in those of workers: they can tell jobs of the plan and
// seal results, and can make no job.
type Keys struct {
	Owner   ed25519.PrivateKey `json:"owner,omitempty"`
	Plan    ed25519.PublicKey  `json:"plan"`
	Results []byte             `json:"results"`
}

// NewKeys makes the keys of an owner from random bytes.
func NewKeys(random io.Reader) (k *Keys, err error) {
	k = &Keys{Results: make([]byte, sha256.Size)}
	if k.Plan, k.Owner, err = ed25519.GenerateKey(random); err == nil {
		_, err = io.ReadFull(random, k.Results)
	}
	return k, err
}

// Worker is the part for workers.
func (k *Keys) Worker() *Keys { return &Keys{Plan: k.Plan, Results: k.Results} }

// ParseKeys reads what json.Marshal wrote of the keys of an owner or of a worker.
func ParseKeys(text []byte, owner bool) (*Keys, error) {
	var k Keys
	whole := ed25519.PrivateKeySize
	if !owner {
		whole = 0
	}
	if err := decodeStrictly(text, &k); err != nil || len(k.Owner) != whole || len(k.Plan) != ed25519.PublicKeySize || len(k.Results) != sha256.Size {
		return nil, fmt.Errorf("the file holds no keys of %s", map[bool]string{true: "a plan", false: "a worker"}[owner])
	}
	return &k, nil
}

// MaxJob is the longest message with a job or an order, in bytes. The stream refuses longer ones, and so does a worker.
const MaxJob = 64 << 10

// What is signed or sealed begins with its purpose, so that nothing passes for something else.
const (
	purposeJob    = "gauntlet fleet job\x00"
	purposeOrder  = "gauntlet fleet order\x00"
	purposeResult = "gauntlet fleet result\x00"
)

// ErrStranger means that the plan's key did not sign a message.
var ErrStranger = errors.New("the key of the plan did not sign it")

func (k *Keys) sign(purpose string, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err == nil && len(text) > MaxJob-ed25519.SignatureSize {
		err = fmt.Errorf("it has %d bytes, more than the %d that a message may have", len(text), MaxJob)
	}
	if err != nil {
		return nil, err
	}
	return append(ed25519.Sign(k.Owner, append([]byte(purpose), text...)), text...), nil
}

func (k *Keys) open(purpose string, message []byte, into any) error {
	switch {
	case len(message) > MaxJob:
		return errors.New("the message is longer than any job")
	case len(message) < ed25519.SignatureSize:
		return ErrStranger
	}
	text := message[ed25519.SignatureSize:]
	if !ed25519.Verify(k.Plan, append([]byte(purpose), text...), message[:ed25519.SignatureSize]) {
		return ErrStranger
	}
	return decodeStrictly(text, into)
}

// decodeStrictly decodes one JSON value whose members are all known.
func decodeStrictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil || d.More() {
		return errors.New("it has another form")
	}
	return nil
}

// SealJob is the message that orders a job.
func (k *Keys) SealJob(j *Job) ([]byte, error) {
	message, err := k.sign(purposeJob, j)
	if err != nil {
		return nil, fmt.Errorf("the job of %s: %w", j.Target.Label(), err)
	}
	return message, nil
}

// OpenJob returns the job of a message, if the plan's key signed it and it is one that a plan can make.
func (k *Keys) OpenJob(message []byte) (*Job, error) {
	j := &Job{}
	if err := k.open(purposeJob, message, j); err != nil {
		return nil, err
	}
	if err := j.Check(); err != nil {
		return nil, err
	}
	return j, nil
}

// A State is what a fleet is told to do.
type State string

// The states.
const (
	Running  State = "running"
	Draining State = "draining"  // workers end what they do and begin nothing
	Canceled State = "cancelled" // workers stop what they do, and the queue is emptied
)

// An Order is what the plan's owner tells every worker.
type Order struct {
	Plan    string `json:"plan"`    // digest of the only plan whose jobs are started
	Version string `json:"version"` // of gauntlet, which a worker must have
	State   State  `json:"state"`
	Limits  Limits `json:"limits"`
	// Issued is when it was given, in nanoseconds since 1970. Workers obey no order older than the last: one that
	// somebody sends again changes nothing.
	Issued int64 `json:"issued"`
}

// SealText marks a text as written by a worker of the plan.
func (k *Keys) SealText(text []byte) []byte {
	m := hmac.New(sha256.New, k.Results)
	m.Write([]byte(purposeResult))
	m.Write(text)
	return append(m.Sum(nil), text...)
}

// ErrForged means that no worker of the plan wrote a message.
var ErrForged = errors.New("no worker of the plan wrote it")

// OpenText returns a text that a worker of the plan wrote.
func (k *Keys) OpenText(message []byte) ([]byte, error) {
	if len(message) < sha256.Size || !hmac.Equal(k.SealText(message[sha256.Size:])[:sha256.Size], message[:sha256.Size]) {
		return nil, ErrForged
	}
	return message[sha256.Size:], nil
}

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
func readReport(ctx context.Context, f *Queue, e *Entry) ([]byte, error) {
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
	if e.Digest, err = w.Queue.PutFile(ctx, packed.Bytes()); err != nil {
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
	return w.Queue.Index.Swap(ctx, e.ID, func(there []byte) []byte {
		if first, err := openEntry(w.Keys, e.ID, there); err == nil && (first.State != result.FleetFailed || e.State == result.FleetFailed) {
			return nil
		}
		return w.Keys.SealText(text)
	})
}
