package proberun

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
)

// A target is one trial in progress.
type target struct {
	tool      *tool
	Parameter schemafill.Parameter
	Class     probe.Class
	Role      capability.Role
	Basis     string
	Planned   bool
	variants  []variant
	proof     *probe.Proof
	byDesign  string
	void      string // why an effect that was seen proves nothing
	masked    bool   // the tool shows products without being told to: payloads compute something else
	delivered int
	answered  int
	alike     int    // of the answers, those in which an ordinary value ends, too
	last      string // the latest answer, if it is an error
	tried     int
	seed      string // required beginning of values, as the server said
	ending    string // file type the tool accepts, as it said: ".xml"
	why       string // the latest reason why nothing was delivered
}

// settled reports whether nothing more need be tried.
func (t *target) settled() bool { return t.proof != nil || t.byDesign != "" }

// An attempt is one call with a payload.
type attempt struct {
	target  *target
	number  int    // of the payload
	seed    string // what the payload was appended to
	mark    Mark
	payload Payload
	answer  Answer
	choice  map[string]any // the parameters that select what the tool does
	since   moment         // when it was sent: earlier observations are not its effect
}

// maxChoices bounds the tried values of a parameter that selects what a tool does.
const maxChoices = 16

// mostMends bounds the repairs of a call by what the server says is wrong.
const mostMends = 4

// learn calls each tool once with ordinary values and learns from errors what it requires.
func (r *run) learn(ctx context.Context) {
	called := map[*tool]bool{}
	for _, t := range r.targets {
		if !called[t.tool] && !r.over(ctx) {
			called[t.tool] = true
			r.learnTool(ctx, t.tool)
		}
	}
	for _, t := range r.tools { // without parameters, according to the schema
		if t.entry == (entry{}) && len(t.Schema.Parameters()) == 0 && r.allows(t) && len(called) < mostBare && !r.over(ctx) && r.Fingerprint == "" {
			called[t] = true
			r.learnTool(ctx, t)
		}
	}
	for _, t := range r.tools {
		t.choices = choicesOf(t.Schema)
	}
	r.within(10, func() { r.bindHandouts(ctx) }) // payloads come first
}

// mostBare bounds the tools called if some have no parameters.
const mostBare = 60

// learnTool calls one tool with ordinary values until it accepts them or says nothing new.
func (r *run) learnTool(ctx context.Context, t *tool) {
	r.Progress.Step("%s: learning to call %s", r.out.Place, t.Name)
	for range mostMends {
		if t.slow > 0 {
			return
		}
		before := r.testbed.mark()
		a := r.give(ctx, t, nil)
		t.started = r.testbed.startedSince(before)
		r.keepHandouts(t, a)
		if !a.Failed {
			t.accepted = a
			return
		}
		c := t.Schema.ReadComplaint(a.Text)
		if !r.takeUnlisted(t, c.Unlisted) && !t.filler.Mend(c, "") {
			break
		}
	}
	r.learnKind(ctx, t)
}

// learnKind looks for the kind of text that a tool accepts which says nothing of it: "not an expression" to all but "1".
func (r *run) learnKind(ctx context.Context, t *tool) {
	free := slices.DeleteFunc(t.Schema.Parameters(), func(p schemafill.Parameter) bool { return !p.Required || !p.Free() })
	if len(free) != 1 || t.entry != (entry{}) {
		return
	}
	path := free[0].Path
	for _, value := range t.filler.Kinds() {
		if t.slow > 0 || r.over(ctx) {
			break
		}
		if a := r.give(ctx, t, map[string]any{path: value}); a.Came && !a.Failed {
			t.filler.Fix(path, value)
			t.accepted = a
			r.keepHandouts(t, a)
			return
		}
	}
}

// takeUnlisted adds unlisted parameters that a tool asks for, and plans their trials. It reports whether there were any.
func (r *run) takeUnlisted(t *tool, names []string) bool {
	if len(names) == 0 || t.entry != (entry{}) || t.unlisted >= mostUnlisted {
		return false
	}
	for _, name := range names {
		t.unlisted++
		t.Schema.AddText(name)
		r.plan([]*tool{t}, name)
	}
	return true
}

// mostUnlisted bounds the parameters discovered on a tool that lists none of them.
const mostUnlisted = 3

// choicesOf returns the values of the parameter that selects what a tool does: the first required one with an enumeration.
func choicesOf(s *schemafill.Schema) []map[string]any {
	for _, p := range s.Parameters() {
		if !p.Required || len(p.Enum) < 2 || p.Type != "string" {
			continue
		}
		var out []map[string]any
		for _, v := range p.Enum[:min(len(p.Enum), maxChoices)] {
			out = append(out, map[string]any{p.Path: v})
		}
		return out
	}
	return []map[string]any{{}}
}

// tryAll tries in rounds, each target's best payload first, so that a budget cuts the least likely.
func (r *run) tryAll(ctx context.Context) {
	for round := 0; ; round++ {
		open := false
		for _, t := range r.inOrder() {
			if t.settled() || round >= t.Payloads()*len(seedsOf(t, r.testbed)) {
				continue
			}
			if t.tool.slow >= mostUnanswered {
				t.why = fmt.Sprintf("the tool left %d calls unanswered", t.tool.slow)
				continue
			}
			open = true
			if r.over(ctx) {
				return
			}
			r.Progress.Step("%s: call %d of at most %d: round %d, %s, %s", r.out.Place, r.used+1, r.meter.Calls, round+1, t.tool.Name, t.Class)
			r.tryRound(ctx, t, round)
		}
		if !open {
			return
		}
	}
}

// inOrder returns the targets with slow tools last, so that one that hangs takes no time from others.
func (r *run) inOrder() []*target {
	out := slices.Clone(r.targets)
	slices.SortStableFunc(out, func(a, b *target) int { return a.tool.slowness() - b.tool.slowness() })
	return out
}

// slowness is 0 for a tool that answers quickly, 1 for one that takes a second per call, 2 for one that did not answer.
func (t *tool) slowness() int {
	switch {
	case t.slow > 0:
		return 2
	case t.calls > 0 && t.spent/time.Duration(t.calls) > 700*time.Millisecond:
		return 1
	}
	return 0
}

// over reports whether no more calls should be made.
func (r *run) over(ctx context.Context) bool {
	return ctx.Err() != nil || r.session == nil || r.meter.spent()
}

// mostUnanswered is the number of unanswered calls after which a tool is not called any more.
const mostUnanswered = 8

// wideRounds is in how many rounds a payload is tried with every choice of the tool, fewChoices with how many it is tried later.
const (
	wideRounds = 3
	fewChoices = 4
)

func (r *run) tryRound(ctx context.Context, t *target, round int) {
	seeds, unlearnt, unmasked := seedsOf(t, r.testbed), t.seed == "", !t.masked
	choices := t.tool.choices
	if round >= wideRounds && len(choices) > fewChoices {
		choices = choices[:fewChoices]
	}
	for _, choice := range choices {
		if _, chooses := choice[t.Parameter.Path]; chooses && len(choice) > 0 {
			choice = map[string]any{}
		}
		a := &attempt{target: t, number: round % t.Payloads(), seed: seeds[round/t.Payloads()%len(seeds)], mark: r.newMark(t), choice: choice}
		var ok bool
		if a.payload, ok = t.Payload(a.number, a.mark, r.testbed.place, a.seed); !ok {
			t.why = cmp.Or(t.why, "it needs a sandbox, where its target is planted")
			return
		}
		t.asksFor(&a.payload)
		if a.payload.Plant != nil && !r.testbed.plant(a.payload.Plant) {
			t.why = "the archive cannot be written where the server runs"
			return
		}
		r.tryPayload(ctx, a)
		if t.settled() || r.over(ctx) {
			return
		}
	}
	if unlearnt && t.seed != "" || unmasked && t.masked {
		r.tryRound(ctx, t, round) // the answer says what values begin with, or the payload was void: try it behind that, or with a difference
	}
}

// tokenLength is the length of each payload's random word.
const tokenLength = 12

// newMark returns new random values for an attempt on a target.
func (r *run) newMark(t *target) Mark {
	token := randomWord(tokenLength)
	m := Mark{Token: token, Touch: r.testbed.place.WriteDir + "/" + token, A: randomFactor(), B: randomFactor()}
	if t.masked {
		m.C = randomFactor()
	}
	return m
}

func randomFactor() int64 {
	n, err := rand.Int(rand.Reader, big.NewInt(899_999))
	if err != nil { // crypto/rand ends the program before it fails
		panic(err)
	}
	return n.Int64() + 100_000
}

// tryPayload sends one payload, repairs the call if another parameter is wrong, and checks for effects.
func (r *run) tryPayload(ctx context.Context, a *attempt) {
	t := a.target
	var d Delivery
	void := false
	a.since = r.testbed.mark()
	for range mostMends {
		before := r.testbed.mark()
		a.answer = r.give(ctx, t.tool, a.values())
		if found := r.effectOf(ctx, a); found != nil {
			before := t.void
			r.confirm(ctx, a, found, false)
			if void = !t.settled(); void && found.Kind == probe.Product && !t.masked {
				t.masked, t.void = true, before // the same payload shows whether it computes more than a product
			}
			r.tellFindings()
			break
		}
		if r.renew(ctx, t.tool, a.answer) {
			continue
		}
		var ordinary Ordinary
		if a.answer.Failed || t.Class == probe.RequestPath {
			ordinary = r.ordinaryFor(ctx, t, a.choice)
		}
		d = ReadDelivery(t.tool.Schema, t.Parameter.Path, a.payload.Text, a.answer, ordinary)
		if !d.Delivered && r.testbed.sawSince(before, a) {
			d.Delivered, d.Answered, d.Alike = true, true, !a.payload.ShowsOutside() // it reached another service or program
		}
		r.learnSeed(t, d.Complaint)
		if r.learnEnding(a) {
			continue
		}
		if d.Delivered || !t.tool.filler.Mend(d.Complaint, t.Parameter.Path) || r.over(ctx) {
			break
		}
	}
	t.tried++
	t.last = ""
	if a.answer.Failed {
		t.last = a.answer.Text[:min(len(a.answer.Text), maxShape)]
	}
	switch {
	case t.settled(), void:
	case d.Delivered:
		t.delivered++
		switch {
		case !d.Answered:
			t.why = d.Why
		case d.Alike && t.tool.entry == (entry{}): // a template refuses most values that no list has, which is an answer
			t.alike++
			fallthrough
		default:
			t.answered++
		}
		r.pending = append(r.pending, a)
	default:
		t.why = d.Why
		r.pending = append(r.pending, a) // an error in an answer does not undo an effect
	}
}

// ordinaryFor returns the answer to an ordinary value of a target's parameter, requested once.
func (r *run) ordinaryFor(ctx context.Context, t *target, choice map[string]any) Ordinary {
	key := t.Parameter.Path + "\x00" + schemafill.Encode(choice)
	if have, ok := t.tool.ordinary[key]; ok {
		return have
	}
	value := "ordinary" + randomWord(6)
	set := map[string]any{t.Parameter.Path: value}
	for k, v := range choice {
		set[k] = v
	}
	o := Ordinary{Value: value, Answer: r.give(ctx, t.tool, set)}
	if _, needed := t.tool.filler.Arguments(choice)[t.Parameter.Path]; o.Answer.Failed && o.Answer.Came {
		o.Again = r.give(ctx, t.tool, set).Text
		o.Examined = needed && t.tool.accepted.Came && !r.call(ctx, t.tool, t.tool.accepted.Sent).Failed
	}
	t.tool.ordinary[key] = o
	return o
}

// give calls a tool with ordinary arguments, but for the values of set by path.
func (r *run) give(ctx context.Context, t *tool, set map[string]any) Answer {
	return r.call(ctx, t, schemafill.Encode(t.filler.Arguments(set)))
}

func (r *run) call(ctx context.Context, t *tool, arguments string) Answer {
	method, params := t.request(arguments)
	a := r.ask(ctx, t, method, params)
	a.Sent = arguments
	r.rememberGiven(a.Text, arguments)
	t.noteAnswer(a)
	if t.leaked == nil {
		t.leaked = r.leakIn(a)
	}
	return a
}

func (t *tool) noteAnswer(a Answer) {
	switch {
	case !a.Came:
	case !t.first.Came:
		t.first = a
	case a.Text == t.first.Text, a.Failed && t.first.Failed:
	case len(a.Text) <= maxRepeated && probe.Resembles(a.Text, t.first.Text):
		if len(t.resembling) < mostRepeated {
			t.resembling = append(t.resembling, a.Text)
		}
	default:
		t.works = true
	}
}

// Bounds of the answers that are kept to be compared at the end.
const (
	mostRepeated = 4
	maxRepeated  = 64 << 10
)

// repeatOrdinary makes two calls of each tool again. The first, if all answers resemble its answer: the number of a request differs again,
// a sum does not. And the one that was accepted, if payloads ended in errors: a server that refuses that one too, since its caller has
// asked too often, has resisted nothing.
func (r *run) repeatOrdinary(ctx context.Context) {
	for _, t := range r.tools {
		if ctx.Err() != nil {
			return
		}
		if first := t.first; len(t.resembling) > 0 && !t.works {
			again := r.call(ctx, t, first.Sent)
			t.works = again.Came && slices.ContainsFunc(t.resembling, func(text string) bool { return !probe.Ignores(text, first.Text, again.Text) })
		}
		if !t.works && t.first.Came && !t.first.Failed && t.entry == (entry{}) && len(t.Schema.Parameters()) > 0 {
			r.call(ctx, t, "{}") // whoever says "saved" to everything may refuse to save nothing
		}
		failing := func(of *target) bool { return of.tool == t && of.last != "" }
		if t.accepted.Came && t.slow < mostUnanswered && slices.ContainsFunc(r.targets, failing) {
			if again := r.call(ctx, t, t.accepted.Sent); again.Came && again.Failed {
				t.lost = again
			}
		}
	}
}

// ask sends one request and restarts the server if that ended it.
func (r *run) ask(ctx context.Context, t *tool, method, params string) Answer {
	if r.session == nil {
		return Answer{}
	}
	wait := r.Call
	if t.slow >= 2 || r.shortWaits {
		wait = min(wait, 2*time.Second)
	}
	inTime, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if r.testbed.box != nil {
		defer r.testbed.box.BeginCall(t.Name)()
	}
	r.used++
	began := time.Now()
	m, err := r.session.Call(inTime, method, params)
	t.calls++
	t.spent += time.Since(began)
	var refused *wire.AnswerError
	var input *mcpclient.InputError
	switch {
	case errors.As(err, &input):
		t.asks = m.Result
		return Answer{Came: true, Failed: true, Text: err.Error()}
	case err == nil:
		return ReadResult(m.Result)
	case errors.As(err, &refused):
		return ReadError(refused.Code, refused.Message, refused.Data)
	case r.ended(err):
		r.restart(ctx)
		return Answer{Gone: true}
	}
	t.slow++
	if ctx.Err() == nil && !r.alive(ctx) {
		r.restart(ctx) // it is busy with the abandoned call
	}
	return Answer{}
}

func (r *run) alive(ctx context.Context) bool { return r.answersWithin(ctx, 1500*time.Millisecond) }

func (r *run) answersWithin(ctx context.Context, wait time.Duration) bool {
	if r.session == nil {
		return false
	}
	inTime, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_, err := r.session.Call(inTime, "ping", "{}")
	var refused *wire.AnswerError
	return err == nil || errors.As(err, &refused)
}

// sweep checks once more for late effects.
func (r *run) sweep() {
	if r.testbed == nil {
		return
	}
	r.testbed.look()
	tokens := map[string]bool{}
	for _, a := range r.pending {
		tokens[a.mark.Token] = true
	}
	seen := r.testbed.seenTokens(tokens, tokenLength)
	for _, a := range r.pending {
		if a.target.settled() {
			continue
		}
		if _, created := r.createdFile(a); created || seen[a.mark.Token] { // anything else an answer proves is known
			if a.target.proof = r.proofOf(a); a.target.proof != nil {
				r.late = append(r.late, a)
			}
		}
	}
	r.pending = nil
}

// letEffectsCome waits for what a tool does not wait for: its command may not have started yet.
func (r *run) letEffectsCome(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(300 * time.Millisecond):
	}
}

// settle takes in late effects and records the outcome of every trial.
func (r *run) settle(ctx context.Context) {
	r.useWhatIsKept(ctx)
	r.repeatOrdinary(ctx)
	if len(r.pending) > 0 {
		r.letEffectsCome(ctx)
	}
	r.sweep()
	r.confirmLate(ctx)
	r.tellFindings()
	for _, t := range r.targets {
		r.out.Evidence.Trials = append(r.out.Evidence.Trials, t.trial())
	}
	e := &r.out.Evidence
	e.Calls, e.Most, e.Cut = r.used, r.meter.Calls, cmp.Or(e.Cut, r.cut)
}

func (t *target) outcome() probe.Outcome {
	switch {
	case t.proof != nil:
		return probe.Prove(t.proof)
	case t.byDesign != "":
		return probe.ByDesign.Because(t.byDesign)
	case t.void != "": // what would have shown a weakness is what the tool shows anyway: it has resisted nothing
		return probe.NotDelivered.Because(t.void)
	case t.tried == 0 && t.why == "":
		return probe.NotDelivered.Because("the run ended before it was tried")
	}
	if t.answered == 0 { // whoever ends at every call has resisted nothing
		return probe.Resist(0, 0, t.why)
	}
	switch {
	case t.tool.lost.Came && (t.last == t.tool.lost.Text || probe.Resembles(t.last, t.tool.lost.Text)):
		return probe.Inconclusive.Because("in the end an ordinary value gets the same error: " + firstLine(t.tool.lost.Text))
	case t.tool.works:
	case !t.tool.first.Failed:
		return probe.Inconclusive.Because(probe.SameResult)
	case t.answered == t.alike:
		return probe.Inconclusive.Because("every value ends in the same error")
	}
	return probe.Resist(t.delivered, t.answered, t.why)
}
