package proberun

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// proofOf returns the proof that an attempt worked, or nil.
func (r *run) proofOf(a *attempt) *probe.Proof {
	g, payload := r.testbed, &a.payload
	g.look()
	method, _ := a.target.tool.request("{}")
	found := func(k probe.Kind, format string, args ...any) *probe.Proof {
		return &probe.Proof{
			Kind: k, Observed: fmt.Sprintf(format, args...), Variant: payload.Variant, Payload: payload.Text, Method: method,
			Arguments: a.answer.Sent, Answer: Excerpt(a.answer.Text, payload.Text),
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
			if m := &a.mark; HoldsNumber(a.answer.Text, payload.Text, m.result()) {
				if m.C != 0 {
					return found(kind, "the answer holds %d, the value of %s", m.result(), m.expression())
				}
				return found(kind, "the answer holds %d, the product of %d and %d", m.result(), m.A, m.B)
			}
		case probe.Program:
			if c := g.calledWith(a.since, "--gauntlet-"+a.mark.Token, "-oProxyCommand=touch "+a.mark.Touch, "--output="+a.mark.Touch, "--upload-pack=touch "+a.mark.Touch); c != nil {
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

// leadsTo describes planted content for a reader.
var leadsTo = map[string]string{
	"outside": "a file outside of the project folder", "sibling": "a file in a folder beside the project folder", "symlink": "a file behind a symbolic link that leads out of the project folder",
	"service": "a service on the loopback address", "metadata": "the cloud's metadata service", "page": "a comment in the page that speaks to the model",
}

// holdsStart reports whether an answer contains planted content or its first ten characters, the part that JSON parsers' errors
// quote. Ten letters without a digit are too few to be known in every encoding: the whole is looked for, too.
func holdsStart(text, payload, content string) bool {
	return content != "" && (Holds(text, payload, content[:10]) || Holds(text, payload, content))
}

// createdFile returns the file that an attempt should have created, and whether it exists.
func (r *run) createdFile(a *attempt) (string, bool) {
	files := []string{a.mark.Touch}
	if a.target.Class == probe.PathTraversal {
		files = append(files, a.mark.Touch+".json")
	}
	for _, f := range files {
		if r.testbed.exists(f) {
			return f, true
		}
	}
	return "", false
}

// callbackOf returns which planted service an attempt made the server request, or "".
func (r *run) callbackOf(a *attempt) string {
	if a.payload.Leads == "header" {
		if name := "X-Gauntlet-" + a.mark.Token; r.testbed.hasHeader(name, a.since) {
			return "a request or a mail carried the header " + name + " that the value added"
		}
		return ""
	}
	c := r.testbed.requested(a.mark.Token, a.payload.Leads != "parent", a.since)
	switch {
	case c == nil:
		return ""
	case a.payload.Leads == "parent":
		return r.climbed(a, c)
	case !strings.HasPrefix(pathOf(c.URL), "/"+a.mark.Token): // the server requests this service anyway, with the value below some path
		return ""
	}
	where := "the loopback address"
	if strings.Contains(c.URL, privateService.String()) {
		where = "a private address"
	}
	return fmt.Sprintf("a service on %s was asked: %s %s", where, c.Method, c.URL)
}

// climbed compares a request's path with that for an ordinary value: a value with ../ must not reach the parent folder.
func (r *run) climbed(a *attempt, c *sighting) string {
	ordinary := r.ordinaryRequest(a.target)
	if ordinary == "" || strings.Contains(c.URL, "..") || strings.Contains(strings.ToLower(c.URL), "%2e%2e") || strings.Contains(strings.ToLower(c.URL), "..%2f") {
		return ""
	}
	before, _, ok := strings.Cut(pathOf(c.URL), a.mark.Token)
	if !ok || before == "" || !strings.HasPrefix(ordinary, before) || ordinary == before {
		return ""
	}
	// A folder named by another argument is the caller's choice anyway.
	if name := strings.Trim(ordinary[len(before):], "/"); name == "" || strings.Contains(a.answer.Sent, rawjson.Quote(name)) {
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

// ordinaryRequest returns the folder of the first request that an ordinary value caused.
func (r *run) ordinaryRequest(t *target) string {
	for key, o := range t.tool.ordinary {
		if !strings.HasPrefix(key, t.Parameter.Path+"\x00") {
			continue
		}
		for _, s := range r.testbed.since(0) {
			if folder, _, ok := strings.Cut(pathOf(s.URL), o.Value); ok && folder != "" {
				return folder
			}
		}
	}
	return ""
}

// A control is a request like one that had an effect, sent to see whether it has the effect, too.
type control int

const (
	repeated control = iota // the same payload
	twin                    // the same text without its syntax
	whole                   // a whole statement in place of the payload
)

// Why an effect proves nothing.
const (
	withoutSyntax  = "the tool does the same with the same text without any syntax"
	withoutControl = "the run ended before the same text was tried without its syntax"
)

// weigh settles a target on an effect by its controls. The twin comes first: if it has the effect, too, the payload is void, and
// nothing is known of the tool, since a server that prints a product of all numbers could hide anything behind it. It is the tool's
// purpose only if its definition says that it takes such statements (does) and a whole one of ours had the effect.
func (t *target) weigh(proof *probe.Proof, does string, shows func(control) bool) {
	switch {
	case t.BySyntax() && shows(twin):
		t.void = withoutSyntax
	case does != "" && shows(whole):
		t.byDesign = does
	default:
		t.proof = proof
	}
}

// confirm runs the controls of an attempt that had an effect, and tries it once more with new random values. The controls of a late
// effect are given time.
func (r *run) confirm(ctx context.Context, a *attempt, found *probe.Proof, late bool) {
	t := a.target
	does := ""
	if l := payloads.languages[t.Class]; l != nil && !a.payload.Escapes {
		does = t.declares(l, t.tool.description)
	}
	t.weigh(found, does, func(c control) bool {
		return c == whole && a.payload.Whole == "" || r.tryAgain(ctx, a, c, late) != nil // some payloads are whole statements
	})
	switch {
	case t.byDesign != "":
		r.escape(ctx, a)
	case t.proof != nil && !late && found.Kind != probe.Content: // random content cannot match twice by chance
		if p := r.tryAgain(ctx, a, repeated, false); p != nil {
			t.proof = p
		}
	}
}

// confirmLate runs the controls of effects that came long after their calls.
func (r *run) confirmLate(ctx context.Context) {
	for _, a := range r.late {
		found := a.target.proof
		if a.target.proof = nil; r.over(ctx) && a.target.BySyntax() {
			a.target.void = withoutControl
			continue
		}
		r.confirm(ctx, a, found, true)
	}
}

// tryAgain repeats an attempt or its control with new random values, and returns the resulting proof.
func (r *run) tryAgain(ctx context.Context, a *attempt, c control, late bool) *probe.Proof {
	t := a.target
	again := &attempt{target: t, number: a.number, seed: a.seed, mark: r.newMark(t), since: r.testbed.mark(), choice: a.choice}
	again.payload, _ = t.Payload(a.number, again.mark, r.testbed.place, a.seed)
	switch c {
	case twin:
		again.payload.set(Twin(again.payload.Value, again.mark.Touch))
	case whole:
		again.payload.set(again.payload.Whole)
	}
	if again.payload.Plant != nil && !r.testbed.plant(again.payload.Plant) {
		return nil
	}
	again.answer = r.give(ctx, t.tool, again.values())
	if late {
		r.letEffectsCome(ctx)
	}
	return r.effectOf(ctx, again)
}

// effectOf returns the proof that an attempt worked, at once or when what it made is used, or nil.
func (r *run) effectOf(ctx context.Context, a *attempt) *probe.Proof {
	if p := r.proofOf(a); p != nil {
		return p
	}
	return r.proofLater(ctx, a)
}

func (a *attempt) values() map[string]any {
	set := map[string]any{a.target.Parameter.Path: a.payload.Value}
	maps.Copy(set, a.choice)
	return set
}

// escape tries whether a tool that renders templates by design also runs code in them.
func (r *run) escape(ctx context.Context, a *attempt) {
	t := a.target
	if t.Class != probe.TemplateInjection {
		return
	}
	for n := range t.Payloads() {
		again := &attempt{target: t, number: n, seed: a.seed, choice: a.choice}
		if p, _ := t.Payload(n, r.newMark(t), r.testbed.place, a.seed); !p.Escapes {
			continue
		}
		if proof := r.tryAgain(ctx, again, repeated, false); proof != nil && r.tryAgain(ctx, again, twin, false) == nil {
			t.proof, t.byDesign = proof, ""
		}
	}
}

// bySyntax are the classes whose payloads work because a parser reads them as its language. The others lead somewhere, and a path
// without its folders is another path.
var bySyntax = []probe.Class{
	probe.CommandInjection, probe.ArgumentInjection, probe.CodeEvaluation, probe.TemplateInjection, probe.SQLInjection, probe.NoSQLInjection, probe.Deserialisation, probe.CRLF,
}

// BySyntax reports whether a proof of the target's class needs a twin.
func (t *target) BySyntax() bool { return slices.Contains(bySyntax, t.Class) }

var (
	// effects matches the parts of payloads that define the visible effect.
	effects = lazyregexp.New(`\d+\*\d+(?:-\d+|==?\d+)?|X-Gauntlet-\w+: 1`)
	words   = lazyregexp.New(`[A-Za-z_]+|[^A-Za-z_]+`)
)

// Twin is the control of a payload: the same value without its syntax. The visible effect stays (the product, the file named touch,
// the header), words are reversed, and punctuation becomes spaces: "x'; return 2*3; //" becomes "x nruter 2*3". A tool that
// multiplies numbers in any text does so with both, so the payload proves nothing.
func Twin(value any, touch string) any {
	switch v := value.(type) {
	case string:
		return twinText(v, touch)
	case map[string]any:
		out := map[string]any{}
		for key, member := range v {
			out[twinText(key, "")] = member
		}
		return out
	}
	return value
}

func twinText(text, touch string) string {
	var b strings.Builder
	for rest := text; rest != ""; {
		kept := effects.FindStringIndex(rest)
		if at := strings.Index(rest, touch); touch != "" && at >= 0 && (kept == nil || at < kept[0]) {
			kept = []int{at, at + len(touch)}
		}
		if kept == nil {
			kept = []int{len(rest), len(rest)}
		}
		for _, word := range words.FindAllString(rest[:kept[0]], -1) {
			b.WriteString(backwards(word))
		}
		b.WriteString(rest[kept[0]:kept[1]])
		rest = rest[kept[1]:]
	}
	return strings.TrimSpace(b.String())
}

// backwards reverses the letters of a word, and blanks punctuation.
func backwards(word string) string {
	runes := []rune(word)
	if unicode.IsLetter(runes[0]) || runes[0] == '_' {
		slices.Reverse(runes)
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			runes[i] = ' '
		}
	}
	return string(runes)
}
