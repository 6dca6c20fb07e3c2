package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/schema"
	"gauntlet/internal/leaf/secret"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A Synthesizer has a language model write what a document leaves to one. It must be safe for concurrent use.
type Synthesizer interface {
	// Synthesize returns the model's text, which should match the schema; the caller checks that.
	Synthesize(ctx context.Context, s Synthesis) (string, error)
}

// A Synthesis is what a model should write.
type Synthesis struct {
	Actor  string
	What   string // what it is, in words: `the result of the tool "search"`
	Prompt string // the document's, templates expanded
	About  string // context and constraints as JSON (a definition, a request), or ""
	Schema string // JSON Schema of an object
}

// A Form is what a binding requires of a model's text.
type Form struct {
	What   string // as in Synthesis
	About  string // as in Synthesis
	Schema string // JSON Schema of an object
}

// SynthesisEvent is the method of trace events that hold a model's text. They were not on the wire; a replay uses them instead of
// the model.
const SynthesisEvent = "synthesize"

const longestSynthesis = 256 << 10

// ErrNoSynthesizer says that a document needs a model and there is none.
var ErrNoSynthesizer = errors.New("a model has to write it (synthesize), and none is named")

// errNoPrompt says that the prompt for the model is missing.
var errNoPrompt = errors.New("synthesize has no prompt")

// Synthesize has a model write what an entry leaves to one, and returns it as a value that matches the form's schema. An error is
// reported and recorded: if a text was not sent as intended, the agent's inaction is no success. Nothing is sent here.
func (a *Actor) Synthesize(ctx context.Context, phase int, entry rawjson.Value, x *Expander, f Form) (rawjson.Value, error) {
	written, err := a.synthesize(ctx, phase, entry, x, f)
	if err == nil {
		return written, nil
	}
	text := fmt.Sprintf("%s: %v", f.What, err)
	a.noteUnwritten(text)
	if with := Member(entry, "content").Exists() || Member(entry, "messages").Exists(); with {
		text += "; what the document gives beside is sent instead"
	}
	a.Notice(Synthesized, phase, "%s (W-006)", text)
	return rawjson.Value{}, err
}

func (a *Actor) synthesize(ctx context.Context, phase int, entry rawjson.Value, x *Expander, f Form) (rawjson.Value, error) {
	if a.opt.Synthesizer == nil {
		return rawjson.Value{}, ErrNoSynthesizer
	}
	given := entry.Get("synthesize").Get("prompt").Text()
	prompt, err := x.ExpandText(given)
	if err != nil {
		return rawjson.Value{}, err
	}
	prompt = withoutSecrets(prompt, given)
	if strings.TrimSpace(prompt) == "" {
		return rawjson.Value{}, errNoPrompt
	}
	text, err := a.opt.Synthesizer.Synthesize(ctx, Synthesis{Actor: a.Name, What: f.What, Prompt: prompt, About: f.About, Schema: f.Schema})
	if err != nil {
		return rawjson.Value{}, err
	}
	written, err := checkWritten(text, f.Schema)
	if err != nil {
		return rawjson.Value{}, fmt.Errorf("what the model wrote is not sent: %w", err)
	}
	a.Record(trace.Message{
		Time: a.Now(), Actor: a.Name, Phase: a.Phases[phase].Name, Protocol: "oatf", Direction: trace.ToClient, Kind: trace.Event, Method: SynthesisEvent,
		Raw:  `{"what":` + rawjson.Quote(f.What) + `,"prompt":` + rawjson.Quote(prompt) + `,"written":` + written.Raw() + `}`,
		Note: "a model wrote this for the document",
	})
	return written, nil
}

// withoutSecrets removes secrets that templates inserted into a prompt from a session. The document's own are decoys and stay.
func withoutSecrets(prompt, given string) string {
	return secret.Replace(prompt, func(found string) string {
		if strings.Contains(given, found) {
			return found
		}
		return "[a secret stood here]"
	})
}

// checkWritten parses a model's text, possibly enclosed in code fences.
func checkWritten(text, schema string) (rawjson.Value, error) {
	if len(text) > longestSynthesis {
		return rawjson.Value{}, fmt.Errorf("it has %d bytes, and no more than %d are sent", len(text), longestSynthesis)
	}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(inner, "json"), "```"))
	}
	written := rawjson.Read(text)
	if !written.Exists() {
		return written, fmt.Errorf("it is not JSON: %q", excerpt.Clip(text, 100))
	}
	return written, checkInstance(text, schema)
}

// noteUnwritten records why a text was not sent as intended; the first reason is kept.
func (r *services) noteUnwritten(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unwritten = cmp.Or(r.unwritten, why)
}

// RecordedSyntheses is a Synthesizer that returns the texts of a recording, for the same actor and prompt and in the same order.
type RecordedSyntheses struct {
	mu   sync.Mutex
	left map[string][]string
}

// errNotRecorded says that the recording has no text to return.
var errNotRecorded = errors.New("the recording holds nothing that a model wrote upon this prompt")

// NewRecordedSyntheses collects the texts that models wrote in a recording.
func NewRecordedSyntheses(recorded []trace.Message) *RecordedSyntheses {
	r := &RecordedSyntheses{left: map[string][]string{}}
	for i := range recorded {
		if m := &recorded[i]; isSynthesis(m) {
			v := rawjson.Read(m.Raw)
			key := m.Actor + "\x00" + v.Get("what").Text() + "\x00" + v.Get("prompt").Text()
			r.left[key] = append(r.left[key], v.Get("written").Raw())
		}
	}
	return r
}

func isSynthesis(m *trace.Message) bool {
	return m.Kind == trace.Event && m.Role == "" && m.Method == SynthesisEvent
}

// Synthesize returns the next recorded text.
func (r *RecordedSyntheses) Synthesize(_ context.Context, s Synthesis) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := s.Actor + "\x00" + s.What + "\x00" + s.Prompt
	texts := r.left[key]
	if len(texts) == 0 {
		return "", errNotRecorded
	}
	r.left[key] = texts[1:]
	return texts[0], nil
}

// SelectEntry returns the entry of a dispatch list for a request, absent if there is no list or none fits.
func (a *Actor) SelectEntry(list, request rawjson.Value) (rawjson.Value, error) {
	if !list.Exists() {
		return list, nil
	}
	d, err := match.ParseDispatch(list)
	if err != nil {
		return rawjson.Value{}, err
	}
	limited, cancel := a.MatchContext()
	defer cancel()
	return d.Select(limited, request)
}

// ReadAction returns the message that an entry of a state's actions sends. It reports false, with a notice, if that is none.
func (a *Actor) ReadAction(phase int, action rawjson.Value, latest Exchange) (method, params string, ok bool) {
	x := a.ExpanderUpon(latest)
	method, err := x.ExpandText(action.Get("method").Text())
	params = "{}"
	if v := Member(action, "params"); err == nil && v.Exists() {
		params, err = x.ExpandValue(v)
	}
	a.NoteMissing(phase, x)
	switch {
	case err != nil:
		a.Notice(Unplayed, phase, "the action %q is left out: %v", action.Get("method").Text(), err)
	case method == "":
		a.Notice(Unplayed, phase, "an action has no method and is left out; the form is {method, params}")
	default:
		ok = true
	}
	return method, params, ok
}

// WithRequest returns an answer's content together with its request's params, in a member that SDK §4.1 requires without naming
// it. The judge of traces uses the same.
func WithRequest(content rawjson.Value, params string) rawjson.Value {
	if content.Kind() != rawjson.Object {
		return content
	}
	return rawjson.Read(rawjson.Join(content.Raw(), rawjson.Build("_request", params)))
}

// Content returns what an entry answers with: a model's text if the entry asks for one, else its content with templates expanded, ""
// if it has none. take returns the answer in what the model wrote.
func (a *Actor) Content(ctx context.Context, phase int, entry rawjson.Value, x *Expander, f Form, take func(written rawjson.Value) rawjson.Value) (string, error) {
	content := Member(entry, "content")
	if Member(entry, "synthesize").Exists() {
		written, err := a.Synthesize(ctx, phase, entry, x, f)
		if err == nil {
			return take(written).Raw(), nil
		}
		if !content.Exists() {
			return "", err
		}
	}
	if !content.Exists() {
		return "", nil
	}
	return x.ExpandValue(content)
}

// mostReason is the longest reason why a value does not match a schema, in bytes: it quotes the value.
const mostReason = 300

// checkInstance returns a reason why a JSON text does not match a schema, or nil.
func checkInstance(text, form string) error {
	s, err := schema.Parse(form)
	if err != nil {
		return fmt.Errorf("its schema cannot be used: %s", excerpt.Clip(err.Error(), mostReason))
	}
	if err := s.Check(text); err != nil {
		return fmt.Errorf("%s", excerpt.Clip(err.Error(), mostReason))
	}
	return nil
}
