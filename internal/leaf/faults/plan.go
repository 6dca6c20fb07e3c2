package faults

import (
	"iter"
	"time"

	"gauntlet/rawjson"
)

// A Message is one that is to go out.
type Message struct {
	Text   string // JSON on one line
	Method string // its own, or that of the request that it answers
	Answer bool
	Number int64 // of messages that the rule was for, from 0: it is part of the seed
}

// A Plan is what goes out in place of a message.
type Plan struct {
	// Many says that there are several messages, or parts of an event stream: over HTTP they
	// need a stream.
	Many bool
	// Status and Header are what HTTP says before the first byte; 0 and nil for what it says
	// anyhow. A header whose value is empty is taken away.
	Status int
	Header map[string]string
	// Bare leaves out what frames a message.
	Bare bool
	// Text is what goes out, as a trace is to have it: the text of one message; "" for the
	// message as it was to go out.
	Text string
	// Steps are what is to be done. The bytes of a step are valid until the next.
	Steps iter.Seq[Step]
}

// A Step is one thing of a Plan. Of its fields one is set, beside Begin and End.
type Step struct {
	Begin bool // a message begins with these bytes
	Data  []byte
	End   bool // and ends with them
	Wait  time.Duration
	Close bool // the connection is closed, and there is no further step
	Reset bool // the same with a reset
}

// Plan says what becomes of a message. With words it is for no such message, which then
// goes out as it is; they say why.
func (r *Rule) Plan(m Message) (Plan, string) {
	if r.Answers && !m.Answer {
		return Plan{}, "it is done to answers only"
	}
	return r.plan(r, m)
}

// wholeMessage is a message in one step.
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

// replaceMessage is a plan for one message of another text.
func replaceMessage(text string) Plan { return Plan{Text: text, Steps: yieldSteps(wholeMessage(text))} }

func (r *Rule) planDelay(m Message) (Plan, string) {
	return Plan{Steps: yieldSteps(Step{Wait: r.durationOf("wait")}, wholeMessage(m.Text))}, ""
}

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

// cutHead is the beginning of a message, short of its last byte at least.
func (r *Rule) cutHead(m Message) Step {
	n := max(0, min(int(r.numbers["after"]), len(m.Text)-1))
	return Step{Begin: true, Data: []byte(m.Text[:n])}
}

func (r *Rule) planStall(m Message) (Plan, string) {
	return Plan{Steps: yieldSteps(r.cutHead(m), Step{Wait: r.durationOf("wait")}, Step{Close: true})}, ""
}

func (r *Rule) planCut(m Message) (Plan, string) {
	return Plan{Steps: yieldSteps(r.cutHead(m), Step{Close: true})}, ""
}

func (r *Rule) planReset(m Message) (Plan, string) {
	return Plan{Steps: yieldSteps(r.cutHead(m), Step{Reset: true})}, ""
}

func (r *Rule) planNoNewline(m Message) (Plan, string) {
	return Plan{Steps: yieldSteps(Step{Begin: true, Data: []byte(m.Text)})}, ""
}

// parseObject returns the message as an object; an absent value if it is none.
func parseObject(text string) rawjson.Value {
	var t rawjson.Tree
	if t.Parse(text, 0) != nil || t.Root().Kind() != rawjson.Object {
		return rawjson.Value{}
	}
	return t.Root()
}
