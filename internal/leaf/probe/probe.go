// Package probe is the vocabulary of probing: what was tried on a server's tools, how each trial
// ended, and what was observed. It decides nothing and does no I/O.
package probe

// A Class is a kind of weakness that a probe can prove.
type Class string

// The classes. Each has one rule, see package check/probing.
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

// Classes lists all classes in the order in which reports show them.
func Classes() []Class {
	return []Class{CommandInjection, CodeEvaluation, Deserialisation, PathTraversal, Symlink, Prefix, ArchiveEscape, Metadata, SSRF, RequestPath,
		ArgumentInjection, SQLInjection, NoSQLInjection, TemplateInjection, CRLF, Pollution, ErrorLeak, Exhaustion, ForgedState, GuessedHandle, UnlistedTool, UnofferedField, Passthrough}
}

// A Trial is one class tried on one parameter of one tool (or on the resources of a server), and
// how that ended.
type Trial struct {
	Tool      string // or "resource template URI", "prompt NAME", "resources/read"
	Parameter string // as the classifier names it: "params.sql", "files[].path"
	Class     Class
	Basis     string // why it was tried: the label and the role
	// Planned says that labels and role ask for the trial. Others are tried because there is time,
	// and only a proof of theirs counts.
	Planned bool
	Outcome Outcome
}

// An Outcome is how a trial ended: Proved, Resisted, ByDesign or NotDelivered. The types cannot
// be mistaken for each other; nothing else implements it.
type Outcome interface{ isOutcome() }

// Proved says that the weakness was observed.
type Proved struct{ Proof Proof }

// Resisted says that payloads reached the tool's code and nothing was observed. Resist makes it.
type Resisted struct{ delivered, answered int }

// ByDesign says that the effect was observed and is what the tool is for.
type ByDesign struct{ What string }

// NotDelivered says that no payload reached the tool's code, and why.
type NotDelivered struct{ Why string }

func (Proved) isOutcome()       {}
func (Resisted) isOutcome()     {}
func (ByDesign) isOutcome()     {}
func (NotDelivered) isOutcome() {}

// Resist returns the outcome of a trial without an effect: Resisted only where at least one
// payload was delivered, else NotDelivered for the reason given.
func Resist(delivered, answered int, why string) Outcome {
	if delivered <= 0 {
		return NotDelivered{Why: why}
	}
	return Resisted{delivered: delivered, answered: min(answered, delivered)}
}

// Delivered is how many payloads reached the tool's code.
func (r Resisted) Delivered() int { return r.delivered }

// Answered is how many of them were answered in time.
func (r Resisted) Answered() int { return r.answered }

// A Kind is what sort of observation proves a weakness.
type Kind string

// The kinds of proof: each rests on a value that only the target could know or make.
const (
	Content  Kind = "canary content"     // the random content of a planted file or service in an answer
	File     Kind = "file created"       // a file with a random name appeared
	Callback Kind = "callback"           // a planted service was asked for a random path
	Product  Kind = "computed product"   // of two random numbers, in an answer
	Program  Kind = "program argument"   // a stand-in program was called with a random argument of its own
	Stopped  Kind = "server stopped"     // the server ended or stopped answering, twice
	Accepted Kind = "guess accepted"     // what nobody gave was taken, and a random value of the same form was not
	Truth    Kind = "condition followed" // answers followed the truth of comparisons of random numbers
	Kept     Kind = "value kept"         // a random value came back in the answer to a later call that did not carry it
	Swollen  Kind = "memory taken"       // a small value made the server take much memory, twice, and a harmless one of the same length did not
	Stalled  Kind = "server stalled"     // the server answered nothing, twice, where values of the same length were answered at once
)

// A Proof is what was observed, with all that is needed to see it oneself.
type Proof struct {
	Kind      Kind   `json:"kind"`
	Observed  string `json:"observed"` // one line
	Variant   string `json:"variant"`  // which spelling of the payload
	Payload   string `json:"payload"`
	Method    string `json:"method"`            // "tools/call", "resources/read"
	Arguments string `json:"arguments"`         // JSON: the arguments of the call, or the params of another method
	Answer    string `json:"answer,omitempty"`  // the first part of the answer, payload taken out; "" if there was none
	Program   string `json:"program,omitempty"` // the program that was called, for Program
}

// Evidence is all that came of probing one server.
type Evidence struct {
	Server string
	Trials []Trial
	// None lists the classes for which the server has no tool.
	None []Class
	// Cut says what ended the run before all planned trials were through; "" for nothing.
	Cut string
	// Calls is how many requests were sent.
	Calls int
	// Ground says where the server ran, in words for a report.
	Ground string
	// Supplied are the variables and options that the server said it misses, and that it was given
	// made-up values for.
	Supplied []string
	// Again is the command line that repeats one finding, with AgainFingerprint for its fingerprint; "" for none.
	Again string
	// Protocol is what the protocol probes recorded; nil if they were not sent.
	Protocol *Protocol
}

// AgainFingerprint stands for a fingerprint in Evidence.Again.
const AgainFingerprint = "FINGERPRINT"
