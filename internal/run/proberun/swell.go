package proberun

import (
	"context"
	"fmt"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

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
func (r *run) provesSwelling(ctx context.Context, t *tool, path string, pump Pump, arguments string) *probe.Proof {
	if !r.restart(ctx) {
		return nil
	}
	began := r.peakMemory()
	if a := r.callWithin(ctx, t, schemafill.Encode(t.filler.Arguments(map[string]any{path: pump.Plain()})), r.Stall); a.Gone || began == 0 {
		return nil
	}
	plain := r.peakMemory()
	if plain == 0 || plain-began >= swelling/4 {
		return nil
	}
	a := r.callWithin(ctx, t, arguments, r.Stall)
	swollen := r.peakMemory()
	if a.Gone || swollen-plain < swelling {
		return nil
	}
	return &probe.Proof{
		Kind: probe.Swollen, Variant: pump.Name, Payload: pump.Value, Method: mcp.ToolsCall, Arguments: arguments,
		Observed: fmt.Sprintf("a value of %d bytes made the server take %d MiB more, twice; a harmless value of the same length took %d MiB", len(pump.Value), (swollen-plain)>>20, max(plain-began, 0)>>20),
	}
}
