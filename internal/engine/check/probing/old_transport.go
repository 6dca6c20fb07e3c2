package probing

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

var _ = add(Probe{
	ID: "P08", Asks: "whether GET, DELETE and session ids, which revision 2026-07-28 does not have, are answered", Effect: probe.Reads, HTTP: true, Era: probe.Stateless,
	Steps: []Step{
		{Name: "GET", Verb: "GET"},
		{Name: "DELETE", Verb: "DELETE"},
		{Name: "a session id", Body: statelessList, Header: map[string]string{mcp.HeaderSessionID: "gauntlet-made-up"}},
	},
	Judge: func(e *probe.Protocol) Verdict {
		var wrong []string
		all := exchanges(e, "P08")
		for _, x := range all {
			switch {
			case x.Verb != "" && x.Status/100 == 2:
				wrong = append(wrong, fmt.Sprintf("%s is answered with HTTP %d", x.Verb, x.Status))
			case x.Verb == "" && x.Answer["Mcp-Session-Id"] != "":
				wrong = append(wrong, "a request of revision 2026-07-28 is answered with a session id")
			}
		}
		switch {
		case len(all) == 0:
			return Verdict{}
		case len(wrong) > 0:
			return broken(strings.Join(wrong, "; "))
		}
		return held("GET and DELETE are refused, and no session is begun")
	},
})
