// Package probe is the vocabulary of probing: trials on a server's tools, their outcomes, and observations. It decides nothing and
// does no I/O.
package probe

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// A Class is a kind of weakness a probe can prove.
type Class string

// The classes. Each has one rule; see package check/probing.
const (
	PathTraversal     Class = "path traversal"
	Symlink           Class = "symlink escape"
	Prefix            Class = "prefix escape"
	SSRF              Class = "server-side request forgery"
	Metadata          Class = "cloud metadata access"
	RequestPath       Class = "request path escape"
	CommandInjection  Class = "command injection"
	ArgumentInjection Class = "argument injection"
	CodeEvaluation    Class = "code evaluation"
	TemplateInjection Class = "template injection"
	SQLInjection      Class = "SQL injection"
	NoSQLInjection    Class = "NoSQL injection"
	Deserialisation   Class = "unsafe deserialisation"
	CRLF              Class = "CRLF injection"
	Passthrough       Class = "injected content passed through"
	ErrorLeak         Class = "secret in an error"
	Exhaustion        Class = "resource exhaustion"
	UnlistedTool      Class = "unlisted tool"
	GuessedHandle     Class = "guessed handle"
	UnofferedField    Class = "field that nobody offered"
	ForgedState       Class = "forged request state"
	ArchiveEscape     Class = "archive escape"
	Pollution         Class = "prototype pollution"
)

// Classes lists all classes in the order of reports.
func Classes() []Class {
	return []Class{CommandInjection, CodeEvaluation, Deserialisation, PathTraversal, Symlink, Prefix, ArchiveEscape, Metadata, SSRF, RequestPath,
		ArgumentInjection, SQLInjection, NoSQLInjection, TemplateInjection, CRLF, Pollution, ErrorLeak, Exhaustion, ForgedState, GuessedHandle, UnlistedTool, UnofferedField, Passthrough}
}

// A Trial is one class tried on one parameter of one tool (or on a server's resources), with its outcome.
type Trial struct {
	Tool      string `json:"tool"`      // or "resource template URI", "prompt NAME", "resources/read"
	Parameter string `json:"parameter"` // the classifier's name: "params.sql", "files[].path"
	Class     Class  `json:"class"`
	Basis     string `json:"basis"` // reason for the trial: label and role
	// Planned says that labels and role ask for the trial. Others are tried if time permits, and only their proofs count.
	Planned bool `json:"planned"`
	Outcome
}

// An Outcome is how a trial ended.
type Outcome struct {
	Ending    Ending `json:"outcome"`
	Proof     *Proof `json:"proof,omitempty"`     // of Proved alone
	Delivered int    `json:"delivered,omitempty"` // payloads that reached the tool's code, of Resisted
	Answered  int    `json:"answered,omitempty"`  // how many of them were answered in time
	Why       string `json:"why,omitempty"`       // of the others
}

// An Ending is the kind of an outcome.
type Ending string

// How trials end.
const (
	Proved       Ending = "proved"        // the weakness was observed
	Resisted     Ending = "resisted"      // payloads reached the tool's code and nothing was observed; Resist creates it
	ByDesign     Ending = "by_design"     // the effect was observed and is the tool's purpose
	Inconclusive Ending = "inconclusive"  // payloads were answered like any other value, which does not tell whether they reached the tool's code
	NotDelivered Ending = "not_delivered" // no payload reached the tool's code
)

// Refused begins the reason of a trial whose values the server's own checks refused, which is an answer of the server.
const Refused = "refused by validation"

// SameResult is the reason of a trial where every value, ordinary ones too, got one result: whoever says "temporarily unavailable" to
// everything has resisted nothing.
const SameResult = "every value gets the same result"

// Ignores reports whether a tool answered a payload as it answers an ordinary value, whatever both are. again is its answer to that value
// once more: what differs between these two, such as a request's number or the time, every answer has of its own.
func Ignores(attacked, ordinary, again string) bool {
	return attacked == ordinary || ordinary != again && alike(attacked, ordinary, again)
}

// Resembles reports whether two answers may differ in nothing but what every answer has of its own: "error 500 (request 8f3a)" and
// "error 500 (request kqzw)", but "found one" and "found two", too. Ignores tells these apart by a third answer.
func Resembles(a, b string) bool { return alike(a, a, b) }

// alike reports whether an answer has the words that two others have in common, at least one, and as many words as these.
func alike(answer, one, other string) bool {
	said, first, second := words(answer), words(one), words(other)
	if len(said) != len(first) || len(first) != len(second) {
		return false
	}
	common := 0
	for i := range first {
		if first[i] != second[i] {
			continue
		}
		if said[i] != first[i] {
			return false
		}
		common++
	}
	return common > 0
}

// words separates what a text or a JSON object says; an id with dashes is one word.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`(){}[]<>,:;=", r) })
}

// Because returns an outcome with its reason.
func (e Ending) Because(why string) Outcome { return Outcome{Ending: e, Why: why} }

// Prove returns the outcome of a trial with a proof.
func Prove(p *Proof) Outcome { return Outcome{Ending: Proved, Proof: p} }

// Resist returns the outcome of a trial without an effect: Resisted if at least one payload was delivered, else NotDelivered for
// the given reason.
func Resist(delivered, answered int, why string) Outcome {
	if delivered <= 0 {
		return NotDelivered.Because(why)
	}
	return Outcome{Ending: Resisted, Delivered: delivered, Answered: min(answered, delivered)}
}

// A Kind is the kind of observation that proves a weakness.
type Kind string

// Kinds of proof: each rests on a value only the target could know or produce.
const (
	Content  Kind = "canary content"     // random content of a planted file or service in an answer
	File     Kind = "file created"       // a file with a random name appeared
	Callback Kind = "callback"           // a planted service received a request for a random path
	Product  Kind = "computed product"   // of two random numbers, in an answer
	Program  Kind = "program argument"   // a stand-in program was called with a separate random argument
	Stopped  Kind = "server stopped"     // the server ended or stopped answering, twice
	Accepted Kind = "guess accepted"     // an unissued value was accepted, and a random one of the same form was not
	Truth    Kind = "condition followed" // answers followed the truth of random comparisons
	Kept     Kind = "value kept"         // a random value returned in the answer to a later call without it
	Swollen  Kind = "memory taken"       // a small value took much memory, twice; a harmless one of the same length did not
	Stalled  Kind = "server stalled"     // the server was silent, twice, but answered values of the same length at once
)

// A Proof is what was observed, with everything needed to reproduce it.
type Proof struct {
	Kind      Kind   `json:"kind"`
	Observed  string `json:"observed"` // one line
	Variant   string `json:"variant"`  // form of the payload
	Payload   string `json:"payload"`
	Method    string `json:"method"`            // "tools/call", "resources/read"
	Arguments string `json:"arguments"`         // JSON: the call's arguments, or another method's params
	Answer    string `json:"answer,omitempty"`  // beginning of the answer without the payload; or ""
	Program   string `json:"program,omitempty"` // called program, for Program
}

// Evidence is the result of probing one server.
type Evidence struct {
	Server string  `json:"server"`
	Trials []Trial `json:"-"` // recorded each by itself
	// None lists the classes that apply to none of the server's tools.
	None []Class `json:"not_applicable"`
	// Untried says what nothing was tried on though it was asked for, a problem each.
	Untried []string `json:"untried,omitempty"`
	// Cut says what ended the run before all planned trials; or "".
	Cut   string `json:"cut,omitempty"`
	Calls int    `json:"calls"`          // requests sent
	Most  int    `json:"most,omitempty"` // requests that the budget permits; 0 if unknown
	// Ground says in words where the server ran.
	Ground string `json:"ground"`
	// Notes say, for a reader, what of the server was not tried though nothing went wrong.
	Notes []string `json:"notes,omitempty"`
	// Supplied are the variables and options the server reported missing and got made-up values for.
	Supplied []string `json:"supplied,omitempty"`
	// Again is the command line that repeats one finding, with AgainFingerprint for its fingerprint; or "".
	Again string `json:"again,omitempty"`
	// Protocol holds the protocol probes' record; nil if they were not sent.
	Protocol *Protocol `json:"protocol,omitempty"`
	// Snapshot is what the server says about itself.
	Snapshot string `json:"snapshot,omitempty"`
}

// AgainFingerprint stands for a fingerprint in Evidence.Again.
const AgainFingerprint = "FINGERPRINT"

// RecordProtocol is the protocol name of probing's own trace events: TrialEvent for each Trial and EvidenceEvent for the Evidence, as
// JSON.
const (
	RecordProtocol = "probe"
	TrialEvent     = "trial"
	EvidenceEvent  = "evidence"
)

// ParseTrial parses a recorded trial. Nothing is proved without a proof, and nothing resisted without delivery.
func ParseTrial(raw string) (t Trial, err error) {
	if err := json.Unmarshal([]byte(raw), &t); err != nil {
		return Trial{}, err
	}
	switch o := t.Outcome; {
	case o.Ending == Proved && o.Proof != nil:
		t.Outcome = Prove(o.Proof)
	case o.Ending == Resisted && o.Delivered > 0:
		t.Outcome = Resist(o.Delivered, o.Answered, "")
	case o.Ending == ByDesign, o.Ending == Inconclusive, o.Ending == NotDelivered:
		t.Outcome = o.Ending.Because(o.Why)
	default:
		return Trial{}, fmt.Errorf("the outcome %q of a trial says nothing", o.Ending)
	}
	return t, nil
}
