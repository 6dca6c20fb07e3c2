package proberun

import (
	"context"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// A Call is a permitted call of a tool. Arguments are JSON.
type Call struct {
	Tool, Arguments string
	OutputSchema    string // JSON, "" for none
	// Right and Wrong are the arguments with a random text in one parameter, and with a list holding another; "" if the tool takes
	// no text.
	Right, Wrong           string
	RightValue, WrongValue string
}

// request returns the message of a call; meta is the member _meta with its name, or "".
func (c *Call) request(id, arguments, meta string) string {
	if meta != "" {
		meta = "," + meta
	}
	return `{"jsonrpc":"2.0","id":"` + id + `","method":"tools/call","params":{"name":` + rawjson.Quote(c.Tool) + `,"arguments":` + arguments + meta + `}}`
}

// exchanges returns what a client without capabilities sends for one call: the call itself, and with a value of the right and of
// the wrong type.
func (c *Call) exchanges(era probe.Era) []probe.Exchange {
	meta := ""
	if era == probe.Stateless {
		meta = probing.StatelessMeta
	}
	out := []probe.Exchange{{ID: "P27", Step: probing.Undeclared + c.Tool, Effect: probe.Writes, Era: era, Sent: c.request("call", c.Arguments, meta), Expect: c.OutputSchema}}
	if c.Wrong != "" {
		out = append(out,
			probe.Exchange{ID: "P21", Step: probing.RightType + c.Tool, Effect: probe.Writes, Era: era, Sent: c.request("right", c.Right, meta), Expect: c.RightValue},
			probe.Exchange{ID: "P21", Step: probing.WrongType + c.Tool, Effect: probe.Writes, Era: era, Sent: c.request("wrong", c.Wrong, meta), Expect: c.WrongValue})
	}
	return out
}

// makeCalls calls tools as a client without capabilities.
func (p *prober) makeCalls(ctx context.Context, era probe.Era) {
	for i := range p.Calls {
		for _, e := range p.Calls[i].exchanges(era) {
			if e.Header = p.inSession(nil); era == probe.Stateless {
				e.Header = statelessHeader(mcp.ToolsCall, p.Calls[i].Tool)
			}
			p.post(ctx, e)
		}
	}
}

// declared is the initialize of a client with capabilities: elicitation, sampling and roots.
const declared = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcp.Revision2025Nov + `","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}},"clientInfo":{"name":"gauntlet","version":"1"}}}`

// asking returns the exchange for one call by a client with capabilities.
func (c *Call) asking() probe.Exchange {
	return probe.Exchange{ID: "P25", Step: probing.MayAsk + c.Tool, Effect: probe.Writes, Era: probe.Handshake, Sent: c.request("ask", c.Arguments, "")}
}

// probeWithQuestions calls tools in a session with client capabilities, and records what the user would be asked.
func (p *prober) probeWithQuestions(ctx context.Context) {
	if len(p.Calls) == 0 || p.ended {
		return
	}
	opened := p.send(ctx, "POST", p.URL, declared, nil)
	p.session, p.mayAsk = opened.Answer["Mcp-Session-Id"], true
	p.send(ctx, "POST", p.URL, initialized, p.inSession(nil))
	for i := range p.Calls {
		e := p.Calls[i].asking()
		e.Header = p.inSession(nil)
		got := p.post(ctx, e)
		p.out.Asked = appendAsked(p.out.Asked, p.Calls[i].Tool, got.Before)
	}
	if p.session != "" {
		p.send(ctx, "DELETE", p.URL, "", p.inSession(nil))
	}
}

const maxAsked = 64

func appendAsked(to []probe.Message, during string, raw []string) []probe.Message {
	for _, r := range raw {
		if len(to) < maxAsked {
			to = append(to, probe.Message{During: during, Era: probe.Handshake, Raw: r})
		}
	}
	return to
}
