package proberun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

const (
	// stallRatio is the minimum ratio of a stall to the answer time of a harmless value.
	stallRatio = 10
	// mostStalls bounds the stalls of one run, since each costs a restart.
	mostStalls = 4
	// mostStallable bounds the parameters of one tool that are tried.
	mostStallable = 16
	// mostSilences bounds the values tried on a parameter of a tool that does not answer harmless values either.
	mostSilences = 2
)

// stallable are the texts of a tool that answers quickly.
func stallable(r *run, ctx context.Context, t *tool) []schemafill.Parameter {
	texts := slices.DeleteFunc(t.Schema.Parameters(), func(p schemafill.Parameter) bool { return !p.Free() })
	if len(texts) == 0 || !r.isQuick(ctx, t, nil) {
		return nil
	}
	return texts[:min(len(texts), mostStallable)]
}

// stallParameter sends one parameter small values that cost a careless reader far more than their length. A stall is proved if the
// server twice answers nothing at all, but answers a harmless value of the same length at once.
func (r *run) stallParameter(ctx context.Context, t *tool, p schemafill.Parameter) probe.Outcome {
	path := p.Path
	delivered, silences := 0, 0
	var d Delivery
	held := r.peakMemory()
	for _, pump := range Pumps() {
		if r.over(ctx) {
			break
		}
		a := r.giveInTime(ctx, t, map[string]any{path: pump.Value})
		if a.Came {
			if d = ReadDelivery(t.Schema, path, pump.Value, a, Ordinary{}); d.Delivered {
				delivered++
			}
			now := r.peakMemory()
			if now-held >= swelling {
				if proof := r.provesSwelling(ctx, t, path, pump); proof != nil {
					r.stalls++
					return probe.Prove(proof)
				}
				now = r.peakMemory()
			}
			held = now
			continue
		}
		delivered++
		if proof := r.provesStall(ctx, t, path, pump, a.Gone); proof != nil {
			r.stalls++
			return probe.Prove(proof)
		}
		if silences++; silences >= mostSilences {
			break // it is silent for another reason
		}
	}
	return probe.Resist(delivered, delivered-silences, d.Why)
}

// provesStall repeats what stalled a server, between harmless values of the same length.
func (r *run) provesStall(ctx context.Context, t *tool, path string, pump Pump, gone bool) *probe.Proof {
	plain := map[string]any{path: pump.Plain()}
	if !r.isQuick(ctx, t, plain) {
		return nil
	}
	again := r.giveInTime(ctx, t, map[string]any{path: pump.Value})
	if again.Came || again.Gone != gone || !r.isQuick(ctx, t, plain) {
		return nil
	}
	kind, observed := probe.Stalled, fmt.Sprintf("the server answered nothing for %s after a value of %d bytes, twice; a harmless value of the same length was answered at once", r.Stall, len(pump.Value))
	if gone {
		kind, observed = probe.Stopped, fmt.Sprintf("the server ended at a value of %d bytes, twice; a harmless value of the same length was answered", len(pump.Value))
	}
	return again.proof(kind, pump.Name, pump.Value, "", observed)
}

// isQuick reports whether a call is answered in a small part of the time of a stall.
func (r *run) isQuick(ctx context.Context, t *tool, set map[string]any) bool {
	began := time.Now()
	a := r.giveInTime(ctx, t, set)
	return a.Came && time.Since(began) < r.Stall/stallRatio
}

// giveInTime is give that waits as long as a stall takes. A missing answer counts only if the server answers nothing else either:
// a slow tool is no stall, and Came is set.
func (r *run) giveInTime(ctx context.Context, t *tool, set map[string]any) Answer {
	slow, starts := t.slow, r.restarts
	arguments := schemafill.Encode(t.filler.Arguments(set))
	method, params := t.request(arguments)
	before := r.Call
	r.Call = r.Stall
	a := r.ask(ctx, t, method, params)
	r.Call, a.Sent = before, arguments
	t.slow = slow
	if !a.Came && !a.Gone && r.restarts == starts {
		a.Came = true // it answered a ping
	}
	return a
}

// swelling is how much a small value must make a server grow, in bytes: 80,000 times the longest value, and far above what a
// garbage collector leaves between two calls.
const swelling = 256 << 20

// peakMemory returns the peak memory of the server and its programs, in bytes; 0 if unknown.
func (r *run) peakMemory() int64 {
	if r.testbed == nil || r.testbed.box == nil {
		return 0
	}
	n, err := r.testbed.box.PeakMemory()
	if err != nil {
		return 0
	}
	return n
}

// provesSwelling restarts the server and repeats what made it grow, after a harmless value of the same length that must not.
func (r *run) provesSwelling(ctx context.Context, t *tool, path string, pump Pump) *probe.Proof {
	if !r.restart(ctx) {
		return nil
	}
	began := r.peakMemory()
	if a := r.giveInTime(ctx, t, map[string]any{path: pump.Plain()}); a.Gone || began == 0 {
		return nil
	}
	plain := r.peakMemory()
	if plain == 0 || plain-began >= swelling/4 {
		return nil
	}
	a := r.giveInTime(ctx, t, map[string]any{path: pump.Value})
	swollen := r.peakMemory()
	if a.Gone || swollen-plain < swelling {
		return nil
	}
	return a.proof(probe.Swollen, pump.Name, pump.Value, "",
		fmt.Sprintf("a value of %d bytes made the server take %d MiB more, twice; a harmless value of the same length took %d MiB", len(pump.Value), (swollen-plain)>>20, max(plain-began, 0)>>20))
}

// A Pump is a small value that costs a careless reader far more than its length.
type Pump struct {
	Name  string
	Value string
}

// Plain returns a harmless value of a pump's length: no word, number or structure begins in it.
func (p *Pump) Plain() string { return strings.Repeat("!", len(p.Value)) }

// Pumps returns values that exploit backtracking regular expressions, expansion and nesting: at most 3,000 bytes, and 60,000
// brackets.
func Pumps() []Pump {
	const most = 30 // the work doubles with each
	entities := `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "eeeeeeeeee">`
	aliases := "a0: &a0 [e,e,e,e,e,e,e,e,e]\n"
	for i := 1; i < 10; i++ {
		last, this := string(rune('0'+i-1)), string(rune('0'+i))
		entities += `<!ENTITY e` + this + ` "` + strings.Repeat("&e"+last+";", 10) + `">`
		aliases += "a" + this + ": &a" + this + " [" + strings.TrimSuffix(strings.Repeat("*a"+last+",", 9), ",") + "]\n"
	}
	return []Pump{
		{"letters and an exclamation mark", strings.Repeat("a", most+4) + "!"},
		{"letters before an unfinished mail address", strings.Repeat("a", most+4) + "@"},
		{"letters behind the sign of a mail address", "a@" + strings.Repeat("a", most+4) + "!"},
		{"digits and an exclamation mark", strings.Repeat("1", most+4) + "!"},
		{"words and an exclamation mark", strings.Repeat("a.", most) + "!"},
		{"hyphens between letters", strings.Repeat("a-", most) + "!"},
		{"spaces before a letter", strings.Repeat(" ", 3_000) + "x"},
		{"an address of many labels", "http://" + strings.Repeat("a.", most) + "a!"},
		{"slashes", "/" + strings.Repeat("/", most+4) + "!"},
		{"braces of a pattern", strings.Repeat("{a,b}", 28)},
		{"stars of a pattern", strings.Repeat("*a", most) + "*b"},
		{"open brackets", strings.Repeat("(", 30_000)},
		{"nested lists", strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000)},
		{"entities of entities in XML", entities + "]><a>&e9;</a>"},
		{"aliases of aliases in YAML", aliases},
		{"a power of powers", "9**9**9**9"},
		{"the factorial of factorials", "factorial(factorial(factorial(9)))"},
		{"a repetition of repetitions", "(a{1,30000}){1,30000}"},
	}
}
