package fleetplan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// MaxJob is the longest message with a job, in bytes. The stream refuses longer ones, and so does a worker.
const MaxJob = 64 << 10

// A Job is one target in one lane.
type Job struct {
	Plan    string   `json:"plan"` // digest of the plan that names it
	Version string   `json:"version"`
	Round   string   `json:"round,omitempty"`
	Lane    LaneName `json:"lane"`
	Target  Target   `json:"target"`
	// Document is the attack document of the lanes attack and redteam: a built-in one by its name, or with DocumentDigest a
	// file of that SHA-256.
	Document       string   `json:"document,omitempty"`
	DocumentDigest string   `json:"document_digest,omitempty"`
	Options        []string `json:"options,omitempty"`
	// Needs are the capabilities that a worker must have declared, sorted.
	Needs []string `json:"needs,omitempty"`
	// Paces are the rates that the start of the job must keep to.
	Paces []Pace `json:"paces,omitempty"`
}

// A Pace is a rate with the name of what it is for.
type Pace struct {
	Key  string `json:"key"` // "host NAME" or "provider NAME"
	Rate Rate   `json:"rate"`
}

// ID names the job by content: what is looked at, how, by which version, in which round. Equal names mean an equal result is
// to be expected, so the job is done once, whichever plan asks for it.
func (j *Job) ID() string {
	t := j.Target
	if t.Kind == File {
		t.Value = nil // a file is its content
	}
	t.Name = ""
	document := j.Document
	if j.DocumentDigest != "" {
		document = ""
	}
	text, err := json.Marshal([]any{j.Version, j.Round, j.Lane, t, document, j.DocumentDigest, j.Options})
	if err != nil {
		panic(err) // strings alone
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Class names the set of capabilities that the job needs, as one word of a subject.
func (j *Job) Class() string { return ClassOf(j.Needs) }

// ClassOf is the class of a set of needs, which is sorted.
func ClassOf(needs []string) string {
	if len(needs) == 0 {
		return "any"
	}
	sum := sha256.Sum256([]byte(strings.Join(needs, "\x00")))
	return hex.EncodeToString(sum[:8])
}

var (
	digestForm = lazyregexp.New(`^[0-9a-f]{64}$`)
	docForm    = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,99}$`)
)

// Check refuses a job that no plan makes.
func (j *Job) Check() error {
	if !j.Lane.Takes(j.Target.Kind) {
		return fmt.Errorf("the lane %q takes no target of the kind %q", j.Lane, j.Target.Kind)
	}
	if err := j.Target.Check(); err != nil {
		return err
	}
	if j.Target.Kind == File && !digestForm.MatchString(j.Target.Digest) {
		return errors.New("a file without its digest")
	}
	if j.Document != "" || j.DocumentDigest != "" {
		if j.Lane != Attack && j.Lane != Redteam || j.DocumentDigest == "" && !docForm.MatchString(j.Document) || j.DocumentDigest != "" && !digestForm.MatchString(j.DocumentDigest) {
			return errors.New("a document that the lane does not take")
		}
	}
	if !slices.IsSorted(j.Needs) || len(j.Needs) > maxWords || len(j.Paces) > maxWords {
		return errors.New("its needs or paces are out of order")
	}
	return checkOptions(j.Lane, j.Options)
}

// encode is the text of a job that is signed.
func (j *Job) encode() ([]byte, error) {
	text, err := json.Marshal(j)
	if err == nil && len(text) > MaxJob-signatureBytes {
		err = fmt.Errorf("the job of %s has %d bytes, more than the %d that a message may have", j.Target.Label(), len(text), MaxJob)
	}
	return text, err
}

// decodeStrictly decodes one JSON value whose members are all known.
func decodeStrictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one value")
	}
	return nil
}
