package proberun

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// forgeStates continues calls that ask for input as if it had been given, with a state the server never issued.
func (r *run) forgeStates(ctx context.Context) {
	for _, t := range r.tools {
		if t.entry != (entry{}) || !r.allows(&t.Tool) || r.over(ctx) {
			continue
		}
		arguments := schemafill.Encode(t.filler.Arguments(nil))
		if t.asks == "" && r.Classes != nil {
			_ = r.call(ctx, t, arguments) // it may ask now
		}
		if rawjson.UnquoteString(rawjson.LastMember(t.asks, "requestState")) == "" {
			continue
		}
		trial := probe.Trial{Tool: t.Name, Parameter: "requestState", Class: probe.ForgedState, Basis: "a tool that asks for input and issues a state", Planned: true}
		r.addTrial(trial, func() probe.Outcome { return r.forgeState(ctx, t, arguments) })
	}
}

// forgeState sends forged states with an answer that agrees to everything.
func (r *run) forgeState(ctx context.Context, t *tool, arguments string) probe.Outcome {
	method, params := t.request(arguments)
	agreed := agreement(rawjson.LastMember(t.asks, "inputRequests"))
	answered := 0
	forged := []string{base64.StdEncoding.EncodeToString([]byte(`{"step":"confirmed"}`)), `{"step":"confirmed"}`, randomWord(24)}
	for _, state := range forged {
		sent := strings.TrimSuffix(params, "}") + `,"requestState":` + rawjson.Quote(state) + `,"inputResponses":{` + agreed + `}}`
		a := r.ask(ctx, t, method, sent)
		if a.Came {
			answered++
		}
		if a.Came && !a.Failed && rawjson.LastMember(a.Raw, "inputRequests") == "" {
			if plain := r.ask(ctx, t, method, strings.TrimSuffix(params, "}")+`,"inputResponses":{`+agreed+`}}`); plain.Came && !plain.Failed && rawjson.LastMember(plain.Raw, "inputRequests") == "" {
				return probe.ByDesign{What: "the tool also continues without a state, so its state decides nothing"}
			}
			return probe.Proved{Proof: probe.Proof{
				Kind: probe.Accepted, Observed: fmt.Sprintf("%s continued with a state that it never issued", t.Name), Variant: "a state that was made up", Payload: state,
				Method: method, Arguments: sent, Answer: Excerpt(a.Text, state),
			}}
		}
	}
	return probe.Resist(answered, answered, "no answer in time")
}

// agreement returns members that consent to each of the input requests.
func agreement(requests string) string {
	var parts []string
	if strings.HasPrefix(requests, "{") {
		_ = rawjson.EachMember(requests, 0, func(key, _ rawjson.Span) bool {
			parts = append(parts, requests[key.Start:key.End]+`:{"action":"accept","content":{"confirm":true}}`)
			return len(parts) < 10
		})
	}
	return strings.Join(parts, ",")
}
