package probing

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

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
