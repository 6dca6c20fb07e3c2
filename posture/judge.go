package posture

import (
	"strconv"

	"gauntlet/result"
)

// A verdict returns the state of a signal and its figures.
type verdict func(*Collector) (result.State, string)

// A noun names what a figure counts.
type noun struct{ one, many string }

var (
	aTool       = noun{"tool", "tools"}
	aServer     = noun{"server", "servers"}
	anIdentity  = noun{"server that describes itself", "servers that describe themselves"}
	aCapability = noun{"server whose capabilities are known", "servers whose capabilities are known"}
	aString     = noun{"string parameter", "string parameters"}
	aDefinition = noun{"definition", "definitions"}
)

func (n noun) count(i int) string {
	if i == 1 {
		return "1 " + n.one
	}
	return strconv.Itoa(i) + " " + n.many
}

// share judges "n of total". If total is 0 there is nothing to judge.
func share(n, total int, of noun) (result.State, string) {
	detail := strconv.Itoa(n) + " of " + of.count(total)
	switch {
	case total == 0:
		return result.NeedsProbe, "no " + of.one + " was read, so there is nothing to judge by"
	case n == 0:
		return result.NotSeen, detail
	}
	return result.Seen, detail
}

func perTool(t toolTrait) verdict {
	return func(c *Collector) (result.State, string) { return share(c.tools[t], c.total, aTool) }
}

// perServer judges among all servers. If none has the trait the state is not "not seen": many captures keep only lists,
// and the server may well have said it.
func perServer(t serverTrait) verdict {
	return func(c *Collector) (result.State, string) {
		state, detail := share(c.having(t), len(c.servers), aServer)
		if state == result.NotSeen {
			return result.NeedsProbe, detail + " in this input; the live server may say more"
		}
		return state, detail
	}
}

// among judges t among the servers with trait known, which could have shown it. Their silence is an answer: a captured
// identity comes from the same response as the instructions.
func among(t, known serverTrait, of noun) verdict {
	return func(c *Collector) (result.State, string) { return share(c.having(t), c.having(known|t), of) }
}

func judgeBoundedStrings(c *Collector) (result.State, string) {
	if c.total > 0 && c.strings == 0 {
		// The tools were read, so there is no such parameter.
		return result.NotSeen, aTool.count(c.total) + " without a string parameter"
	}
	return share(c.bounded, c.strings, aString)
}

func judgeReservedMeta(c *Collector) (result.State, string) {
	state, detail := share(c.reserved, c.items, aDefinition)
	if state == result.Seen {
		detail += ", for instance " + quoteASCII(c.reservedKey)
	}
	return state, detail
}

// having counts the servers with any of the traits.
func (c *Collector) having(traits serverTrait) int {
	n := 0
	for _, has := range c.servers {
		if has&traits != 0 {
			n++
		}
	}
	return n
}

// quoteASCII shows untrusted text on one line in ASCII, so that it can neither control a terminal nor pass for another name.
func quoteASCII(s string) string {
	const longest = 80
	q := strconv.QuoteToASCII(s)
	if len(q) > longest {
		q = q[:longest] + `…"`
	}
	return q
}
