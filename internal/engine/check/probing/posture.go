package probing

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

// FillPosture writes into a posture map what the protocol probes saw, and why the others were not
// sent. A line that no probe speaks to stays as it is.
func FillPosture(signals []result.Signal, e *probe.Protocol) {
	if e == nil {
		return
	}
	for i := range signals {
		s := &signals[i]
		if s.State != result.NeedsProbe {
			continue
		}
		if judge := postureOf[s.ID]; judge != nil {
			fillSignal(s, judge(e))
		}
		for _, p := range Probes() {
			if p.Signal == s.ID && p.Judge != nil && s.State != result.NotSeen {
				fillSignal(s, p.Read(e))
			}
		}
	}
}

// fillSignal writes what a verdict says of a line. What was found broken outweighs what another saw.
func fillSignal(s *result.Signal, v Verdict) {
	switch {
	case v.Text == "":
	case v.State == Broken:
		s.State, s.Detail = result.NotSeen, v.Text
	case v.State == Held && s.State == result.Seen:
		s.Detail += "; " + v.Text
	case v.State == Held:
		s.State, s.Detail = result.Seen, v.Text
	case s.State == result.NeedsProbe:
		s.Detail = v.Text
	}
}

// unsent is why a probe was not sent, without a text if it was.
func unsent(e *probe.Protocol, id string) Verdict {
	for _, key := range []string{id, "others", "all"} {
		if why := e.Unsent[key]; why != "" {
			return unprobed("not probed: " + why)
		}
	}
	return Verdict{}
}

// postureOf are the lines that the protocol probes fill.
var postureOf = map[string]func(*probe.Protocol) Verdict{
	"encryption": func(e *probe.Protocol) Verdict {
		switch {
		case e.Transport == "stdio":
			return unprobed("not probed: the server speaks over stdio")
		case e.Scheme == "https":
			return held("the server was spoken to over HTTPS")
		}
		return broken("the server was spoken to over plain HTTP")
	},
	"origin-check": func(e *probe.Protocol) Verdict { return refusal(e, "P01", "a foreign Origin") },
	"host-check":   func(e *probe.Protocol) Verdict { return refusal(e, "P02", "a foreign Host") },
	"session": func(e *probe.Protocol) Verdict {
		if e.Sessions == nil {
			return unsent(e, "P09")
		}
		if v := judgeSessions(e); v.State == Broken {
			return v
		}
		return held(fmt.Sprintf("%d ids that differ; after its end a session is refused", len(e.Sessions)))
	},
	"protocol-version": func(e *probe.Protocol) Verdict {
		return refusal(e, "P06", "a protocol version that does not exist")
	},
	"authentication": func(e *probe.Protocol) Verdict {
		switch tier := Tier(e); tier {
		case "":
			return unsent(e, "P11")
		case "none":
			return broken("a request without a token was answered")
		default:
			return held(tier)
		}
	},
	"malformed-messages": func(e *probe.Protocol) Verdict {
		if e.Find("P18", "malformed") == nil {
			return unsent(e, "P18")
		}
		if v := judgeLiveness(e); v.State == Broken {
			return v
		}
		if after := silentAfter(e); after != "" {
			return unprobed("not probed to the end: nothing was answered in time after " + after + ", which shows nothing")
		}
		return held("the server answers after malformed messages, unknown methods, forged cursors and batches")
	},
	"list-stability": func(e *probe.Protocol) Verdict {
		first, second := e.Find("P30", "first"), e.Find("P30", "second")
		switch {
		case first == nil || second == nil || !IsResult(first) || !IsResult(second):
			return unsent(e, "P30")
		case first.Body != second.Body:
			return broken("two listings in a row differ")
		}
		return held("two listings in a row are the same")
	},
}

func refusal(e *probe.Protocol, id, what string) Verdict {
	x := e.Find(id, "")
	switch {
	case x == nil || !x.Answered:
		return unsent(e, id)
	case IsResult(x):
		return broken("a request with " + what + " was answered with a result")
	}
	return held(fmt.Sprintf("a request with %s was refused (HTTP %d)", what, x.Status))
}

// FillContacts writes into a posture map what ordinary conversations showed. With several servers a
// defence is seen where each of them shows it, and the line names those that do not.
func FillContacts(signals []result.Signal, contacts []probe.Contact) {
	for i := range signals {
		s := &signals[i]
		judge := contactOf[s.ID]
		if judge == nil || s.State != result.NeedsProbe {
			continue
		}
		var verdicts []Verdict
		for _, c := range contacts {
			if v := judge(&c); v.Text != "" {
				if len(contacts) > 1 {
					v.Text = excerpt.Clip(c.Place, 60) + ": " + v.Text
				}
				verdicts = append(verdicts, v)
			}
		}
		fillVerdicts(s, verdicts, len(contacts))
	}
}

// fillVerdicts writes the worst of what contacts showed, and nothing where one of them shows nothing.
func fillVerdicts(s *result.Signal, verdicts []Verdict, contacts int) {
	texts := map[State][]string{}
	for _, v := range verdicts {
		texts[v.State] = append(texts[v.State], v.Text)
	}
	switch {
	case texts[Broken] != nil:
		s.State, s.Detail = result.NotSeen, strings.Join(texts[Broken], "; ")
	case texts[Unprobed] != nil:
		s.Detail = strings.Join(texts[Unprobed], "; ")
	case len(verdicts) == contacts && contacts > 0:
		s.State, s.Detail = result.Seen, strings.Join(texts[Held], "; ")
	}
}

// contactOf are the lines that an ordinary conversation speaks to.
var contactOf = map[string]func(*probe.Contact) Verdict{
	"encryption": func(c *probe.Contact) Verdict {
		software := ""
		if len(c.Software) > 0 {
			software = "; answers name the software: " + excerpt.Quote(strings.Join(c.Software, ", "), 80)
		}
		switch {
		case c.Scheme == "https" && c.Transport != "":
			return held("the server was spoken to over HTTPS, and asks for nothing else (Strict-Transport-Security)" + software)
		case c.Scheme == "https":
			return held("the server was spoken to over HTTPS" + software)
		case c.Scheme == "http" && c.Answered:
			return broken("the server was spoken to over plain HTTP" + software)
		}
		return Verdict{}
	},
	"authentication": func(c *probe.Contact) Verdict {
		switch {
		case c.Refused == 401 && c.Challenge != "":
			return held("HTTP 401, WWW-Authenticate " + excerpt.Quote(c.Challenge, 80))
		case c.Refused == 401 || c.Refused == 403:
			return held(fmt.Sprintf("HTTP %d", c.Refused))
		case c.Answered && !c.Token:
			return broken("requests without a token were answered")
		case c.Answered:
			return unprobed("requests with our token were answered; probe asks without one")
		}
		return Verdict{}
	},
	"session": func(c *probe.Contact) Verdict {
		switch {
		case c.Session > 0 && c.Session < shortestID:
			return broken(fmt.Sprintf("the session id has %d characters", c.Session))
		case c.Session > 0:
			return unprobed(fmt.Sprintf("one session id of %d characters was given; probe compares twenty", c.Session))
		case c.Answered:
			return unprobed("the server gives no session id")
		}
		return Verdict{}
	},
	"origin-check": func(c *probe.Contact) Verdict {
		if c.ReadBy == "" {
			return Verdict{}
		}
		return unprobed("answers allow pages of " + excerpt.Quote(c.ReadBy, 60) + " to read them; probe sends a foreign Origin")
	},
	"protocol-version": func(c *probe.Contact) Verdict {
		if c.Revision == "" {
			return Verdict{}
		}
		return unprobed("answers say MCP-Protocol-Version " + excerpt.Quote(c.Revision, 40) + "; probe sends one that does not exist")
	},
	"list-stability": func(c *probe.Contact) Verdict {
		switch {
		case c.Differed > 0:
			return broken(fmt.Sprintf("%d of %d further readings differ", c.Differed, c.Asked))
		case c.Asked > 0:
			return held(fmt.Sprintf("what was read %d times is the same", c.Asked+1))
		}
		return Verdict{}
	},
}
