package probing

import (
	"fmt"

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
			fillSignal(s, judge, e)
		}
		if s.State != result.NotSeen {
			fillByProbes(s, e)
		}
	}
}

func fillSignal(s *result.Signal, judge postureJudge, e *probe.Protocol) {
	seen, detail := judge(e)
	if detail == "" {
		return
	}
	s.Detail = detail
	switch {
	case seen == nil:
	case *seen:
		s.State = result.Seen
	default:
		s.State = result.NotSeen
	}
}

// fillByProbes writes what the probes of the table say of a line. What one of them found broken
// outweighs what another saw.
func fillByProbes(s *result.Signal, e *probe.Protocol) {
	for _, p := range Probes() {
		if p.Signal != s.ID || p.Judge == nil {
			continue
		}
		switch v := p.Read(e); {
		case v.State == Broken:
			s.State, s.Detail = result.NotSeen, v.Text
			return
		case v.State == Held && s.State == result.Seen:
			s.Detail += "; " + v.Text
		case v.State == Held:
			s.State, s.Detail = result.Seen, v.Text
		case s.State == result.NeedsProbe:
			s.Detail = v.Text
		}
	}
}

// A postureJudge says whether a defence was seen, nil where it was not probed, and with what.
type postureJudge func(*probe.Protocol) (*bool, string)

func yes(detail string) (*bool, string) { v := true; return &v, detail }
func no(detail string) (*bool, string)  { v := false; return &v, detail }

// unsent is why a probe was not sent, "" if it was.
func unsent(e *probe.Protocol, id string) (*bool, string) {
	for _, key := range []string{id, "others", "all"} {
		if why := e.Unsent[key]; why != "" {
			return nil, "not probed: " + why
		}
	}
	return nil, ""
}

// postureOf are the lines that the protocol probes fill.
var postureOf = map[string]postureJudge{
	"encryption": func(e *probe.Protocol) (*bool, string) {
		switch {
		case e.Transport == "stdio":
			return nil, "not probed: the server speaks over stdio"
		case e.Scheme == "https":
			return yes("the server was spoken to over HTTPS")
		}
		return no("the server was spoken to over plain HTTP")
	},
	"origin-check": func(e *probe.Protocol) (*bool, string) { return refusal(e, "P01", "a foreign Origin") },
	"host-check":   func(e *probe.Protocol) (*bool, string) { return refusal(e, "P02", "a foreign Host") },
	"session": func(e *probe.Protocol) (*bool, string) {
		if e.Sessions == nil {
			return unsent(e, "P09")
		}
		if what, _ := judgeSessions(e); what != "" {
			return no(what)
		}
		return yes(fmt.Sprintf("%d ids that differ; after its end a session is refused", len(e.Sessions)))
	},
	"protocol-version": func(e *probe.Protocol) (*bool, string) {
		return refusal(e, "P06", "a protocol version that does not exist")
	},
	"authentication": func(e *probe.Protocol) (*bool, string) {
		switch tier := Tier(e); tier {
		case "":
			return unsent(e, "P11")
		case "none":
			return no("a request without a token was answered")
		default:
			return yes(tier)
		}
	},
	"malformed-messages": func(e *probe.Protocol) (*bool, string) {
		if e.Find("P18", "malformed") == nil {
			return unsent(e, "P18")
		}
		if what, _ := judgeLiveness(e); what != "" {
			return no(what)
		}
		if after := silentAfter(e); after != "" {
			return nil, "not probed to the end: nothing was answered in time after " + after + ", which shows nothing"
		}
		return yes("the server answers after malformed messages, unknown methods, forged cursors and batches")
	},
	"list-stability": func(e *probe.Protocol) (*bool, string) {
		first, second := e.Find("P30", "first"), e.Find("P30", "second")
		switch {
		case first == nil || second == nil || !first.HasResult() || !second.HasResult():
			return unsent(e, "P30")
		case first.Body != second.Body:
			return no("two listings in a row differ")
		}
		return yes("two listings in a row are the same")
	},
}

// refusal says whether one probe was refused.
func refusal(e *probe.Protocol, id, what string) (*bool, string) {
	x := e.Find(id, "")
	switch {
	case x == nil || !x.Answered:
		return unsent(e, id)
	case x.HasResult():
		return no("a request with " + what + " was answered with a result")
	}
	return yes(fmt.Sprintf("a request with %s was refused (HTTP %d)", what, x.Status))
}
