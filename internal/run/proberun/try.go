package proberun

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"gauntlet/capability"
	"gauntlet/internal/engine/probejudge"
	"gauntlet/internal/engine/probeplan"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A target is one trial under way.
type target struct {
	probeplan.Target
	tool      *tool
	proof     *probe.Proof
	byDesign  string
	delivered int
	answered  int
	tried     int
	seed      string         // what the server said that values must begin with
	ending    string         // the kind of file that it said it takes, ".xml"
	first     map[string]any // the choice with which a volley hit; nil for none
	why       string         // the latest reason why nothing was delivered
}

// settled reports whether no more has to be tried.
func (t *target) settled() bool { return t.proof != nil || t.byDesign != "" }

// An attempt is one call with a payload.
type attempt struct {
	target    *target
	mark      probeplan.Mark
	payload   probeplan.Payload
	arguments string
	answer    probejudge.Answer
}

type ordinaryAnswer = probejudge.Ordinary

// maxChoices is how many values of a parameter that chooses what a tool does are tried.
const maxChoices = 16

// mostMends is how often a call is repaired by what the server says is wrong with it.
const mostMends = 4

// learn calls each tool once with ordinary values and learns from errors what it wants.
func (r *run) learn(ctx context.Context) {
	called := map[*tool]bool{}
	for _, t := range r.targets {
		if called[t.tool] || r.over(ctx) {
			continue
		}
		called[t.tool] = true
		r.Progress("%s: learning to call %s", r.out.Place, t.tool.Name)
		for range mostMends {
			if t.tool.slow > 0 {
				break
			}
			before := r.ground.mark()
			a := r.call(ctx, t.tool, schemafill.Encode(t.tool.filler.Arguments(nil)))
			t.tool.started = r.ground.startedSince(before)
			if !a.Failed || !t.tool.filler.Mend(t.tool.Schema.ReadComplaint(a.Text), "") {
				break
			}
		}
	}
	for _, t := range r.tools {
		t.choices = choicesOf(t.Schema)
	}
}

// choicesOf returns the values of the parameter by which a tool is told what to do: the first
// required one with a list of values.
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

// tryAll tries round by round, each target's best payload first, so that a budget cuts the least
// likely.
func (r *run) tryAll(ctx context.Context) {
	for round := 0; ; round++ {
		open := false
		for i, t := range r.inOrder() {
			if t.settled() || round >= t.Payloads()*len(seedsOf(t, r.ground)) {
				continue
			}
			open = true
			if r.over(ctx) {
				r.noteCut()
				return
			}
			if r.session == nil {
				return
			}
			r.Progress("%s: round %d, %d of %d: %s, %s", r.out.Place, round+1, i+1, len(r.targets), t.tool.Name, t.Class)
			r.tryRound(ctx, t, round)
		}
		if !open {
			return
		}
	}
}

// inOrder returns the targets with those of slow tools last, so that one that hangs takes no time
// from others.
func (r *run) inOrder() []*target {
	out := slices.Clone(r.targets)
	slices.SortStableFunc(out, func(a, b *target) int { return a.rank() - b.rank() })
	return out
}

// rank orders targets: what a volley hit goes first.
func (t *target) rank() int {
	if t.first != nil {
		return -1
	}
	return t.tool.slowness()
}

// slowness is 0 for a tool that answers quickly, 1 for one that takes a second a call, 2 for one
// that did not answer.
func (t *tool) slowness() int {
	switch {
	case t.slow > 0:
		return 2
	case t.calls > 0 && t.spent/time.Duration(t.calls) > 700*time.Millisecond:
		return 1
	}
	return 0
}

// over reports whether no more calls are to be made.
func (r *run) over(ctx context.Context) bool {
	return ctx.Err() != nil || time.Now().After(r.ends) || r.session == nil
}

// noteCut says that the budget ended before all planned trials were through.
func (r *run) noteCut() {
	for _, t := range r.targets {
		if t.Planned && !t.settled() && t.tried < t.Payloads() {
			r.out.Evidence.Cut = fmt.Sprintf("the time for calls was over (%s): not every payload was tried; --budget allows more", r.Budget)
			return
		}
	}
}

// tryRound tries the payload of one round, with every choice that the tool has where the payload
// is one of the first.
func (r *run) tryRound(ctx context.Context, t *target, round int) {
	seeds, unlearnt := seedsOf(t, r.ground), t.seed == ""
	choices := t.tool.choices
	if t.first != nil {
		choices = append([]map[string]any{t.first}, choices...)
	}
	if round > 1 && len(choices) > 4 {
		choices = choices[:4]
	}
	for _, choice := range choices {
		if _, chooses := choice[t.Parameter.Path]; chooses && len(choice) > 0 {
			choice = map[string]any{}
		}
		mark := newMark(r.ground)
		payload, ok := t.Payload(round%t.Payloads(), mark, r.ground.place, seeds[round/t.Payloads()%len(seeds)])
		if !ok {
			if t.why == "" {
				t.why = "there is no sandbox that plants what this leads to"
			}
			return
		}
		t.asksFor(&payload)
		r.tryPayload(ctx, &attempt{target: t, mark: mark, payload: payload}, choice)
		if t.settled() || r.over(ctx) {
			return
		}
	}
	if unlearnt && t.seed != "" {
		r.tryRound(ctx, t, round) // the answer said what values begin with: this payload has not been tried behind that
	}
}

// newMark makes the random values of one attempt.
func newMark(g *ground) probeplan.Mark {
	token := randomWord(12)
	return probeplan.Mark{Token: token, Touch: g.place.WriteDir + "/" + token, A: randomFactor(), B: randomFactor()}
}

// randomFactor returns a random number of six digits.
func randomFactor() int64 {
	n, err := rand.Int(rand.Reader, big.NewInt(899_999))
	if err != nil { // crypto/rand ends the program before it fails
		panic(err)
	}
	return n.Int64() + 100_000
}

// tryPayload sends one payload, repairs the call where another parameter is wrong, and looks at
// what happened.
func (r *run) tryPayload(ctx context.Context, a *attempt, choice map[string]any) {
	t := a.target
	set := map[string]any{t.Parameter.Path: a.payload.Value}
	for k, v := range choice {
		set[k] = v
	}
	var d probejudge.Delivery
	for range mostMends {
		set[t.Parameter.Path] = a.payload.Value
		a.arguments = schemafill.Encode(t.tool.filler.Arguments(set))
		before := r.ground.mark()
		a.answer = r.call(ctx, t.tool, a.arguments)
		if r.observe(a); t.proof != nil {
			r.confirm(ctx, a, choice)
			break
		}
		var ordinary ordinaryAnswer
		if a.answer.Failed || t.Class == probe.RequestPath {
			ordinary = r.ordinaryFor(ctx, t, choice)
		}
		d = probejudge.ReadDelivery(t.tool.Schema, t.Parameter.Path, a.payload.Text, a.answer, ordinary)
		if !d.Delivered && r.ground.sawSince(before, a) {
			d.Delivered, d.Answered = true, true // it went out to another service, or to a program, whatever the server says of its answer
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
	switch {
	case t.settled():
	case d.Delivered:
		t.delivered++
		if d.Answered {
			t.answered++
		}
		r.pending = append(r.pending, a)
	default:
		t.why = d.Why
		r.pending = append(r.pending, a) // an error in an answer does not undo what was done
	}
}

// ordinaryFor returns the answer to an ordinary value of a target's parameter, asked for once.
func (r *run) ordinaryFor(ctx context.Context, t *target, choice map[string]any) ordinaryAnswer {
	key := t.Parameter.Path + "\x00" + schemafill.Encode(choice)
	if have, ok := t.tool.ordinary[key]; ok {
		return have
	}
	value := "ordinary" + randomWord(6)
	set := map[string]any{t.Parameter.Path: value}
	for k, v := range choice {
		set[k] = v
	}
	o := ordinaryAnswer{Value: value, Answer: r.call(ctx, t.tool, schemafill.Encode(t.tool.filler.Arguments(set)))}
	t.tool.ordinary[key] = o
	return o
}

// call calls a tool.
func (r *run) call(ctx context.Context, t *tool, arguments string) probejudge.Answer {
	method, params := t.request(arguments)
	a := r.ask(ctx, t, method, params)
	r.rememberGiven(a.Text)
	if t.leaked == nil {
		t.leaked = r.leakIn(a, arguments)
	}
	return a
}

// ask sends one request and starts the server again if that ended it.
func (r *run) ask(ctx context.Context, t *tool, method, params string) probejudge.Answer {
	if r.session == nil {
		return probejudge.Answer{}
	}
	wait := r.Call
	if t.slow >= 2 || r.hurry {
		wait = min(wait, 2*time.Second)
	}
	inTime, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if r.ground.box != nil {
		defer r.ground.box.BeginCall(t.Name)()
	}
	r.calls++
	began := time.Now()
	m, err := r.session.Call(inTime, method, params)
	t.calls++
	t.spent += time.Since(began)
	var refused *wire.AnswerError
	var input *mcpclient.InputError
	switch {
	case errors.As(err, &input):
		t.asks = m.Result
		return probejudge.Answer{Came: true, Failed: true, Text: err.Error()}
	case err == nil:
		return probejudge.ReadResult(m.Result)
	case errors.As(err, &refused):
		return probejudge.ReadError(refused.Code, refused.Message, refused.Data)
	case gone(err) || r.session.Err() != nil:
		r.restart(ctx)
		return probejudge.Answer{Gone: true}
	}
	t.slow++
	if ctx.Err() == nil && !r.alive(ctx) {
		r.restart(ctx) // it is busy with the call that was given up
	}
	return probejudge.Answer{}
}

// alive reports whether the server answers anything.
func (r *run) alive(ctx context.Context) bool {
	inTime, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
	defer cancel()
	_, err := r.session.Call(inTime, "ping", "{}")
	var refused *wire.AnswerError
	return err == nil || errors.As(err, &refused)
}

// observe looks for the proof of one attempt.
func (r *run) observe(a *attempt) {
	if p := r.proofOf(a); p != nil {
		a.target.proof = p
	}
}

// proofOf returns what proves that an attempt worked, nil for nothing.
func (r *run) proofOf(a *attempt) *probe.Proof {
	g, payload := r.ground, &a.payload
	g.look()
	method, _ := a.target.tool.request("{}")
	found := func(k probe.Kind, format string, args ...any) *probe.Proof {
		return &probe.Proof{
			Kind: k, Observed: fmt.Sprintf(format, args...), Variant: payload.Variant, Payload: payload.Text, Method: method,
			Arguments: a.arguments, Answer: probejudge.Excerpt(a.answer.Text, payload.Text),
		}
	}
	for _, kind := range payload.Expect {
		switch kind {
		case probe.File:
			if file, ok := r.createdFile(a); ok {
				return found(kind, "the file %s was created", file)
			}
		case probe.Content:
			if content := g.content[payload.Leads]; holdsStart(a.answer.Text, payload.Text, content) {
				return found(kind, "the answer holds the random content of %s", leadsTo[payload.Leads])
			}
		case probe.Product:
			if probejudge.HoldsProduct(a.answer.Text, payload.Text, a.mark.A, a.mark.B) {
				return found(kind, "the answer holds %d, the product of %d and %d", a.mark.A*a.mark.B, a.mark.A, a.mark.B)
			}
		case probe.Program:
			if c := g.calledWithAny("--gauntlet-"+a.mark.Token, "-oProxyCommand=touch "+a.mark.Touch, "--output="+a.mark.Touch, "--upload-pack=touch "+a.mark.Touch); c != nil {
				p := found(kind, "%s was called with an option that the value added: %q", c.Name, c.Args)
				p.Program = c.Name
				return p
			}
		case probe.Callback:
			if p := r.callbackOf(a); p != "" {
				return found(kind, "%s", p)
			}
		}
	}
	return nil
}

// leadsTo says for a reader what planted content is.
var leadsTo = map[string]string{
	"outside": "a file outside of the project folder", "sibling": "a file in a folder beside the project folder", "symlink": "a file behind a symbolic link that leads out of the project folder",
	"service": "a service on the loopback address", "metadata": "the cloud's metadata service", "page": "a comment in the page that speaks to the model",
}

// holdsStart reports whether an answer holds a planted content or its first ten characters, which
// is what errors of JSON parsers quote.
func holdsStart(text, payload, content string) bool {
	return content != "" && (probejudge.Holds(text, payload, content[:10]))
}

// createdFile returns the file that an attempt was to create.
func (r *run) createdFile(a *attempt) (string, bool) {
	files := []string{a.mark.Touch}
	if a.target.Class == probe.PathTraversal {
		files = append(files, a.mark.Touch+".json")
	}
	for _, f := range files {
		if r.ground.exists(f) {
			return f, true
		}
	}
	return "", false
}

// callbackOf says which planted service was asked by an attempt, "" for none.
func (r *run) callbackOf(a *attempt) string {
	if a.payload.Leads == "header" {
		if name := "X-Gauntlet-" + a.mark.Token; r.ground.hasHeader(name) {
			return "a request carried the header " + name + " that the value added"
		}
		return ""
	}
	c := r.ground.requested(a.mark.Token, a.payload.Leads != "parent")
	switch {
	case c == nil:
		return ""
	case a.payload.Leads == "parent":
		return r.climbed(a, c)
	case !strings.HasPrefix(pathOf(c.URL), "/"+a.mark.Token): // the server asks this service of its own accord, with the value below some path
		return ""
	}
	where := "the loopback address"
	if strings.Contains(c.URL, privateService.String()) {
		where = "a private address"
	}
	return fmt.Sprintf("a service on %s was asked: %s %s", where, c.Method, c.URL)
}

// climbed compares the path of a request with that for an ordinary value: a value with ../ in it
// must not lead to the folder above.
func (r *run) climbed(a *attempt, c *serviceCall) string {
	ordinary := r.ordinaryRequest(a.target)
	if ordinary == "" || strings.Contains(c.URL, "..") || strings.Contains(strings.ToLower(c.URL), "%2e%2e") || strings.Contains(strings.ToLower(c.URL), "..%2f") {
		return ""
	}
	before, _, ok := strings.Cut(pathOf(c.URL), a.mark.Token)
	if !ok || before == "" || !strings.HasPrefix(ordinary, before) || ordinary == before {
		return ""
	}
	// A folder that another argument names is the caller's to choose anyway.
	if name := strings.Trim(ordinary[len(before):], "/"); name == "" || strings.Contains(a.arguments, rawjson.Quote(name)) {
		return ""
	}
	return fmt.Sprintf("the request went to %s instead of below %s", pathOf(c.URL), ordinary)
}

func pathOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		at := strings.IndexByte(rest, '/')
		if at < 0 {
			return "/"
		}
		url = rest[at:]
	}
	p, _, _ := strings.Cut(url, "?")
	return p
}

// ordinaryRequest is the folder of the request that an ordinary value of a parameter led to.
func (r *run) ordinaryRequest(t *target) string {
	for key, o := range t.tool.ordinary {
		if !strings.HasPrefix(key, t.Parameter.Path+"\x00") {
			continue
		}
		if c := r.ground.requested(o.Value, false); c != nil {
			before, _, ok := strings.Cut(pathOf(c.URL), o.Value)
			if ok {
				return before
			}
		}
	}
	return ""
}

// confirm tries a payload that worked once more with new random values, and asks whether the tool
// is there to do that: then it is no weakness.
func (r *run) confirm(ctx context.Context, a *attempt, choice map[string]any) {
	t := a.target
	proof := t.proof
	if r.isPurpose(ctx, a, choice) {
		t.proof, t.byDesign = nil, purposes[t.Class]
		return
	}
	if proof.Kind == probe.Content {
		return // random content cannot come twice by chance
	}
	again := &attempt{target: t, mark: newMark(r.ground)}
	again.payload, _ = t.Payload(indexOf(t, a.payload.Variant, r.ground), again.mark, r.ground.place, seedOf(a))
	set := map[string]any{t.Parameter.Path: again.payload.Value}
	for k, v := range choice {
		set[k] = v
	}
	again.arguments = schemafill.Encode(t.tool.filler.Arguments(set))
	again.answer = r.call(ctx, t.tool, again.arguments)
	if p := r.proofOf(again); p != nil {
		t.proof = p
	}
}

func indexOf(t *target, variant string, g *ground) int {
	for n := range t.Payloads() {
		if p, _ := t.Payload(n, newMark(g), g.place, "x"); p.Variant == variant {
			return n
		}
	}
	return 0
}

var purposes = map[probe.Class]string{
	probe.CommandInjection: "the tool runs any command that it is given", probe.CodeEvaluation: "the tool runs the code that it is given",
	probe.SQLInjection: "the tool runs any statement that it is given", probe.Passthrough: "the tool hands on the pages that it is asked for",
}

// isPurpose reports whether an effect is what the tool is declared to do.
func (r *run) isPurpose(ctx context.Context, a *attempt, choice map[string]any) bool {
	t := a.target
	runs := slices.ContainsFunc(t.tool.Labels.Capabilities, func(l capability.Label) bool {
		return l.Tag == capability.Exec && l.Confidence.AtLeast(capability.Medium)
	})
	switch t.Class {
	case probe.CodeEvaluation:
		return runs && t.Role == capability.Command
	case probe.CommandInjection, probe.SQLInjection:
		if a.payload.Control == "" || t.Class == probe.CommandInjection && !(runs && (t.Role == capability.Command || t.Role == capability.Query || t.Role == capability.Content)) {
			return false
		}
		if t.Class == probe.SQLInjection && t.Role != capability.Query {
			return false
		}
		return r.controlWorks(ctx, a, choice)
	}
	return false
}

// controlWorks reports whether the plain form of the effect works as well: a command or statement
// by itself, with no trick around it.
func (r *run) controlWorks(ctx context.Context, a *attempt, choice map[string]any) bool {
	t := a.target
	plain := &attempt{target: t, mark: newMark(r.ground), payload: a.payload}
	made, _ := t.Payload(indexOf(t, a.payload.Variant, r.ground), plain.mark, r.ground.place, "x")
	plain.payload.Value, plain.payload.Text = made.Control, made.Control
	set := map[string]any{t.Parameter.Path: made.Control}
	for k, v := range choice {
		set[k] = v
	}
	plain.arguments = schemafill.Encode(t.tool.filler.Arguments(set))
	plain.answer = r.call(ctx, t.tool, plain.arguments)
	return r.proofOf(plain) != nil
}

// sweep looks once more for effects that came late.
func (r *run) sweep() {
	if r.ground == nil {
		return
	}
	for _, a := range r.pending {
		if !a.target.settled() {
			r.observe(a)
		}
	}
	r.pending = nil
}

// settle takes in late effects and writes down how every trial ended.
func (r *run) settle(ctx context.Context) {
	if len(r.pending) > 0 && ctx.Err() == nil {
		// A command that a tool does not wait for may still be about to begin.
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
		}
	}
	r.sweep()
	for _, t := range r.targets {
		r.out.Evidence.Trials = append(r.out.Evidence.Trials, probe.Trial{
			Tool: t.tool.Name, Parameter: t.Parameter.Path, Class: t.Class, Basis: t.Basis, Planned: t.Planned, Outcome: t.outcome(),
		})
	}
	r.out.Evidence.Calls = r.calls
}

// outcome is how a trial ended.
func (t *target) outcome() probe.Outcome {
	switch {
	case t.proof != nil:
		return probe.Proved{Proof: *t.proof}
	case t.byDesign != "":
		return probe.ByDesign{What: t.byDesign}
	case t.tried == 0 && t.why == "":
		return probe.NotDelivered{Why: "the run ended before it was tried"}
	}
	return probe.Resist(t.delivered, t.answered, t.why)
}
