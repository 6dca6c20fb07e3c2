package proberun

import (
	"cmp"
	"context"
	"strings"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A Plan is what is sent beside the table's messages.
type Plan struct {
	Calls []Call // permitted calls of tools
	Burst int    // requests sent at once for P23; 0 for none
}

// A prober sends the protocol probes to one server.
type prober struct {
	channel
	Plan
	out *probe.Protocol
}

// A channel carries messages to a server over one transport, and records the answers in a Protocol.
type channel interface {
	// reaches reports whether a probe can be asked over the transport.
	reaches(q *probing.Probe) bool
	// begin opens a session with an initialize and returns the exchange; over stdio it starts a new server.
	begin(ctx context.Context, opening string) probe.Exchange
	// anew prepares for messages without a session, and reports whether they can be sent.
	anew() bool
	// post sends one message with what its era requires of the transport, and reports whether more can be sent in the session. A quiet
	// message may stay unanswered.
	post(ctx context.Context, e probe.Exchange, quiet bool) (*probe.Exchange, bool)
	// end ends the session.
	end(ctx context.Context)
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcp.Revision2025Nov + `","capabilities":{},"clientInfo":{"name":"gauntlet","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	// declared is the initialize of a client with capabilities: elicitation, sampling and roots.
	declared = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcp.Revision2025Nov + `","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}},"clientInfo":{"name":"gauntlet","version":"1"}}}`
)

// agreedOn returns the revision in the answer to initialize.
func agreedOn(body string) string {
	m := wire.Decode(body)
	return rawjson.Unquote(cmp.Or(rawjson.LastMember(m.Result, "protocolVersion"), `""`))
}

func stepOf(q *probing.Probe, step *probing.Step) probe.Exchange {
	return probe.Exchange{ID: q.ID, Step: step.Name, Effect: q.Effect, Sent: step.Body, Header: step.Header, Era: q.Era, Verb: step.Verb}
}

// sendTable sends the table's messages of an era, and the calls.
func (p *prober) sendTable(ctx context.Context, era probe.Era) {
	for _, q := range probing.Probes() {
		if !p.reaches(&q) || q.Era != era || q.ID == "P31" {
			continue
		}
		for i := range q.Steps {
			if _, more := p.post(ctx, stepOf(&q, &q.Steps[i]), q.Steps[i].Quiet); !more {
				return
			}
		}
	}
	for i := range p.Calls {
		for _, e := range p.Calls[i].exchanges(era) {
			if _, more := p.post(ctx, e, false); !more {
				return
			}
		}
	}
}

// probeStateless sends the messages of revision 2026-07-28 if the server answers the first one. Over stdio another server gets one
// without _meta first of all: the control of P28.
func (p *prober) probeStateless(ctx context.Context) {
	if ctx.Err() != nil || !p.anew() {
		return
	}
	list := probing.ByID("P31") // it shows whether there is anything to test
	first, _ := p.post(ctx, stepOf(list, &list.Steps[0]), false)
	// A result of this revision states its type. Servers of earlier revisions answer too if they do not wait for initialize.
	p.out.Stateless = probing.IsResult(first) && rawjson.LastMember(wire.Decode(first.Body).Result, "resultType") != ""
	if !p.out.Stateless {
		return
	}
	p.sendTable(ctx, probe.Stateless)
	if inherits := probing.ByID("P28"); p.reaches(inherits) && p.anew() {
		e := stepOf(inherits, &inherits.Steps[0])
		e.Step = probing.FirstOfAll
		p.post(ctx, e, false)
	}
}

// probeWithQuestions calls tools in a session with client capabilities, and records what the user would be asked.
func (p *prober) probeWithQuestions(ctx context.Context) {
	if len(p.Calls) == 0 || ctx.Err() != nil {
		return
	}
	if opened := p.begin(ctx, declared); !probing.IsResult(&opened) {
		return
	}
	for _, c := range p.Calls {
		got, _ := p.post(ctx, probe.Exchange{ID: "P25", Step: probing.MayAsk + c.Tool, Effect: probe.Writes, Era: probe.Handshake, Sent: c.request("ask", c.Arguments, "")}, false)
		for _, raw := range got.Before {
			if len(p.out.Asked) < maxAsked {
				p.out.Asked = append(p.out.Asked, probe.Message{During: c.Tool, Era: probe.Handshake, Raw: raw})
			}
		}
	}
	p.end(ctx)
}

const maxAsked = 64

// Notes on requests without an answer. Silence proves nothing.
const (
	silent  = "no answer"
	refused = "the connection was refused"
	isGone  = "the server has ended"
)

// noMore records that the server answered nothing any more after an exchange.
func noMore(out *probe.Protocol, e *probe.Exchange) {
	out.Unsent["others"] = "nothing was answered any more after " + strings.TrimSpace(e.ID+" "+e.Step)
}

// Limits on what is kept of answers: messages before a response, their bytes, and bytes of a response.
const (
	maxBefore      = 16
	maxBeforeBytes = 4 << 10
	maxBody        = 64 << 10
)

func keepBefore(e *probe.Exchange, raw string) {
	if len(e.Before) < maxBefore {
		e.Before = append(e.Before, clipText(raw, maxBeforeBytes))
	}
}

// takeResponse records the beginning of a response, and whether it is a result.
func takeResponse(e *probe.Exchange, raw string) {
	e.Result = wire.Decode(raw).Kind == wire.Response
	e.Body = clipText(raw, maxBody)
}

func clipText(s string, limit int) string {
	return strings.ToValidUTF8(s[:min(len(s), limit)], "\uFFFD")
}

// answerTo declines a server's request, in the form it expects.
func answerTo(m wire.Message, mayAsk bool) string {
	if mayAsk && m.Method == mcp.ElicitationCreate {
		return `{"jsonrpc":"2.0","id":` + m.ID + `,"result":{"action":"decline"}}`
	}
	return `{"jsonrpc":"2.0","id":` + m.ID + `,"error":{"code":-32601,"message":"this client cannot do that"}}`
}

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
