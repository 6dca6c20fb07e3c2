package fleetplan

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
)

// Keys are what a plan's owner has. Only Plan can sign jobs; workers get the other half and the key for results.
type Keys struct {
	Plan    ed25519.PrivateKey `json:"plan"`
	Results []byte             `json:"results"`
}

// WorkerKeys are what a worker has: it can tell jobs of the plan and seal results, and can make no job.
type WorkerKeys struct {
	Plan    ed25519.PublicKey `json:"plan"`
	Results []byte            `json:"results"`
}

// NewKeys makes keys from random bytes.
func NewKeys(random io.Reader) (*Keys, error) {
	_, private, err := ed25519.GenerateKey(random)
	if err != nil {
		return nil, err
	}
	k := &Keys{Plan: private, Results: make([]byte, sha256.Size)}
	_, err = io.ReadFull(random, k.Results)
	return k, err
}

// Worker is the half for workers.
func (k *Keys) Worker() *WorkerKeys {
	return &WorkerKeys{Plan: k.Plan.Public().(ed25519.PublicKey), Results: k.Results}
}

// ParseKeys reads what json.Marshal wrote of Keys.
func ParseKeys(text []byte) (*Keys, error) {
	var k Keys
	if err := decodeStrictly(text, &k); err != nil || len(k.Plan) != ed25519.PrivateKeySize || len(k.Results) != sha256.Size {
		return nil, errors.New("the file holds no keys of a plan")
	}
	return &k, nil
}

// ParseWorkerKeys reads what json.Marshal wrote of WorkerKeys.
func ParseWorkerKeys(text []byte) (*WorkerKeys, error) {
	var k WorkerKeys
	if err := decodeStrictly(text, &k); err != nil || len(k.Plan) != ed25519.PublicKeySize || len(k.Results) != sha256.Size {
		return nil, errors.New("the file holds no keys of a worker")
	}
	return &k, nil
}

const signatureBytes = ed25519.SignatureSize

// What is signed or sealed begins with its purpose, so that nothing passes for something else.
const (
	purposeJob    = "gauntlet fleet job\x00"
	purposeOrder  = "gauntlet fleet order\x00"
	purposeResult = "gauntlet fleet result\x00"
)

// ErrStranger means that the plan's key did not sign a message.
var ErrStranger = errors.New("the key of the plan did not sign it")

func (k *Keys) sign(purpose string, text []byte) []byte {
	return append(ed25519.Sign(k.Plan, append([]byte(purpose), text...)), text...)
}

func (k *WorkerKeys) open(purpose string, message []byte) ([]byte, error) {
	if len(message) < signatureBytes {
		return nil, ErrStranger
	}
	text := message[signatureBytes:]
	if !ed25519.Verify(k.Plan, append([]byte(purpose), text...), message[:signatureBytes]) {
		return nil, ErrStranger
	}
	return text, nil
}

// SealJob is the message that orders a job.
func (k *Keys) SealJob(j *Job) ([]byte, error) {
	text, err := j.encode()
	if err != nil {
		return nil, err
	}
	return k.sign(purposeJob, text), nil
}

// OpenJob returns the job of a message, if the plan's key signed it and it is one that a plan can make.
func (k *WorkerKeys) OpenJob(message []byte) (*Job, error) {
	if len(message) > MaxJob {
		return nil, errors.New("the message is longer than any job")
	}
	text, err := k.open(purposeJob, message)
	if err != nil {
		return nil, err
	}
	var j Job
	if err := decodeStrictly(text, &j); err != nil {
		return nil, errors.New("the message is no job")
	}
	if err := j.Check(); err != nil {
		return nil, err
	}
	return &j, nil
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
	Plan    string `json:"plan"` // digest of the only plan whose jobs are started
	Name    string `json:"name"`
	Version string `json:"version"` // of gauntlet, which a worker must have
	State   State  `json:"state"`
	// Drain names workers that are to end although the fleet goes on.
	Drain  []string `json:"drain,omitempty"`
	Limits Limits   `json:"limits"`
	// Issued is when it was given, in nanoseconds since 1970. Workers obey no order older than the last: one that
	// somebody sends again changes nothing.
	Issued int64 `json:"issued"`
}

// SealOrder is the message with an order.
func (k *Keys) SealOrder(o *Order) ([]byte, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return k.sign(purposeOrder, text), nil
}

// OpenOrder returns the order of a message, if the plan's key signed it.
func (k *WorkerKeys) OpenOrder(message []byte) (*Order, error) {
	text, err := k.open(purposeOrder, message)
	if err != nil {
		return nil, err
	}
	var o Order
	if err := decodeStrictly(text, &o); err != nil {
		return nil, errors.New("the message is no order")
	}
	return &o, nil
}

// SealText marks a text as written by a worker of the plan.
func (k *WorkerKeys) SealText(text []byte) []byte {
	m := hmac.New(sha256.New, k.Results)
	m.Write([]byte(purposeResult))
	m.Write(text)
	return append(m.Sum(nil), text...)
}

// ErrForged means that no worker of the plan wrote a message.
var ErrForged = errors.New("no worker of the plan wrote it")

// OpenText returns a text that a worker of the plan wrote.
func (k *WorkerKeys) OpenText(message []byte) ([]byte, error) {
	if len(message) < sha256.Size {
		return nil, ErrForged
	}
	text := message[sha256.Size:]
	if !hmac.Equal(k.SealText(text)[:sha256.Size], message[:sha256.Size]) {
		return nil, ErrForged
	}
	return text, nil
}
