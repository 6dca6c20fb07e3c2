package proberun

import (
	"context"
	"fmt"
	"time"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

const (
	// stallRatio is the minimum ratio of a stall to the answer time of a harmless value.
	stallRatio = 10
	// mostStalls bounds the stalls of one run, since each costs a restart.
	mostStalls = 4
	// mostSilences bounds the values tried on a parameter of a tool that does not answer harmless values either.
	mostSilences = 2
)

// stallTools sends tools small values that cost a careless reader far more than their length, in a sandbox only. A stall is proved
// if the server twice answers nothing at all, but answers a harmless value of the same length at once.
func (r *run) stallTools(ctx context.Context) {
	if !r.out.Sealed {
		return
	}
	stalls := 0
	for _, t := range r.tools {
		if t.entry != (entry{}) || !r.allows(&t.Tool) || r.over(ctx) || len(stallParameters(t)) == 0 || !r.isQuick(ctx, t, schemafill.Encode(t.filler.Arguments(nil))) {
			continue
		}
		for _, p := range stallParameters(t) {
			if r.over(ctx) || stalls >= mostStalls {
				return
			}
			r.addTrial(probe.Trial{Tool: t.Name, Parameter: p, Class: probe.Exhaustion, Basis: "any text"}, func() probe.Outcome {
				o := r.stallParameter(ctx, t, p)
				if _, proved := o.(probe.Proved); proved {
					stalls++
				}
				return o
			})
		}
	}
}

func stallParameters(t *tool) (out []string) {
	for _, p := range t.Schema.Parameters() {
		if p.Free() && len(out) < maxVolley {
			out = append(out, p.Path)
		}
	}
	return out
}

// stallParameter tries each value on one parameter.
func (r *run) stallParameter(ctx context.Context, t *tool, path string) probe.Outcome {
	delivered, silences := 0, 0
	var d Delivery
	held := r.peakMemory()
	for _, pump := range Pumps() {
		if r.over(ctx) {
			break
		}
		arguments := schemafill.Encode(t.filler.Arguments(map[string]any{path: pump.Value}))
		a := r.callWithin(ctx, t, arguments, r.Stall)
		if a.Came {
			if d = ReadDelivery(t.Schema, path, pump.Value, a, Ordinary{}); d.Delivered {
				delivered++
			}
			now := r.peakMemory()
			if now-held >= swelling {
				if proof := r.provesSwelling(ctx, t, path, pump, arguments); proof != nil {
					return probe.Proved{Proof: *proof}
				}
				now = r.peakMemory()
			}
			held = now
			continue
		}
		delivered++
		if proof := r.provesStall(ctx, t, path, pump, arguments, a.Gone); proof != nil {
			return probe.Proved{Proof: *proof}
		}
		if silences++; silences >= mostSilences {
			break // it is silent for another reason
		}
	}
	return probe.Resist(delivered, delivered-silences, d.Why)
}

// provesStall repeats what stalled a server, between harmless values of the same length.
func (r *run) provesStall(ctx context.Context, t *tool, path string, pump Pump, arguments string, gone bool) *probe.Proof {
	plain := schemafill.Encode(t.filler.Arguments(map[string]any{path: pump.Plain()}))
	if !r.isQuick(ctx, t, plain) {
		return nil
	}
	again := r.callWithin(ctx, t, arguments, r.Stall)
	if again.Came || again.Gone != gone || !r.isQuick(ctx, t, plain) {
		return nil
	}
	p := &probe.Proof{Kind: probe.Stalled, Variant: pump.Name, Payload: pump.Value, Method: mcp.ToolsCall, Arguments: arguments}
	p.Observed = fmt.Sprintf("the server answered nothing for %s after a value of %d bytes, twice; a harmless value of the same length was answered at once", r.Stall, len(pump.Value))
	if gone {
		p.Kind = probe.Stopped
		p.Observed = fmt.Sprintf("the server ended at a value of %d bytes, twice; a harmless value of the same length was answered", len(pump.Value))
	}
	return p
}

// isQuick reports whether a call is answered in a small part of the time of a stall.
func (r *run) isQuick(ctx context.Context, t *tool, arguments string) bool {
	began := time.Now()
	a := r.callWithin(ctx, t, arguments, r.Stall)
	return a.Came && time.Since(began) < r.Stall/stallRatio
}

// callWithin calls a tool and waits at most the given time. A missing answer counts only if the server answers nothing else either:
// a slow tool is no stall, and Came is set.
func (r *run) callWithin(ctx context.Context, t *tool, arguments string, wait time.Duration) Answer {
	slow, starts := t.slow, r.restarts
	method, params := t.request(arguments)
	before := r.Call
	r.Call = wait
	a := r.ask(ctx, t, method, params)
	r.Call = before
	t.slow = slow
	if !a.Came && !a.Gone && r.restarts == starts {
		a.Came = true // it answered a ping
	}
	return a
}
