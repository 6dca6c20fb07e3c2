package faults

import (
	"iter"
	"time"
)

// A Message is an outgoing message.
type Message struct {
	Text   string // one-line JSON
	Method string // its own, or that of the request it answers
	Answer bool
	Number int64 // counts the rule's messages, from 0; part of the seed
}

// A Plan is what is sent instead of a message.
type Plan struct {
	// Many says that there are several messages, or parts of an event stream: over HTTP they need a stream.
	Many bool
	// Status and Header replace the HTTP status and headers; 0 and nil leave them. An empty header value removes the header.
	Status int
	Header map[string]string
	// Bare omits the message's framing.
	Bare bool
	// Text is what a trace records: the text of one message; "" for the original message.
	Text string
	// Steps are the steps to perform. A step's bytes are valid until the next.
	Steps iter.Seq[Step]
}

// A Step is one step of a Plan. One field is set, in addition to Begin and End.
type Step struct {
	Begin bool // a message begins with these bytes
	Data  []byte
	End   bool // a message ends with these bytes
	Wait  time.Duration
	Close bool // close the connection; the last step
	Reset bool // close it with a TCP reset
}

// Plan returns what to send instead of a message. A reason in words means that the rule does not apply to such a message, which is
// sent unchanged.
func (r *Rule) Plan(m Message) (Plan, string) {
	if r.Answers && !m.Answer {
		return Plan{}, "it is done to answers only"
	}
	return r.plan(r, m)
}

func wholeMessage(text string) Step { return Step{Begin: true, Data: []byte(text), End: true} }

func yieldSteps(all ...Step) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for _, s := range all {
			if !yield(s) {
				return
			}
		}
	}
}

func inSteps(all ...Step) (Plan, string) { return Plan{Steps: yieldSteps(all...)}, "" }

// withHead returns a plan that sends a message behind a status, unless it is 0, and a header.
func withHead(m Message, status int, name, value string) (Plan, string) {
	return Plan{Status: status, Header: map[string]string{name: value}, Steps: yieldSteps(wholeMessage(m.Text))}, ""
}

func replaceMessage(text string) Plan { return Plan{Text: text, Steps: yieldSteps(wholeMessage(text))} }

func (r *Rule) planDrip(m Message) (Plan, string) {
	piece, every := int(r.numbers["piece"]), r.durationOf("every")
	return Plan{Steps: func(yield func(Step) bool) {
		for i := 0; i < len(m.Text); i += piece {
			end := min(i+piece, len(m.Text))
			if i > 0 && !yield(Step{Wait: every}) {
				return
			}
			if !yield(Step{Begin: i == 0, Data: []byte(m.Text[i:end]), End: end == len(m.Text)}) {
				return
			}
		}
	}}, ""
}

// cutHead returns the beginning of a message, at least one byte short.
func (r *Rule) cutHead(m Message) Step {
	n := max(0, min(int(r.numbers["after"]), len(m.Text)-1))
	return Step{Begin: true, Data: []byte(m.Text[:n])}
}
