package proberun

import (
	"gauntlet/internal/engine/check/probing"
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

// asking returns the exchange for one call by a client with capabilities.
func (c *Call) asking() probe.Exchange {
	return probe.Exchange{ID: "P25", Step: probing.MayAsk + c.Tool, Effect: probe.Writes, Era: probe.Handshake, Sent: c.request("ask", c.Arguments, "")}
}
