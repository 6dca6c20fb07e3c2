package probing

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

var _ = add(Probe{
	ID: "P19", Asks: "whether a batch, which only revision 2025-03-26 has, is answered", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake,
	Steps: []Step{{Body: `[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"ping"}]`, Quiet: true}},
	Judge: func(e *probe.Protocol) Verdict {
		x := e.Find("P19", "")
		switch {
		case x == nil || !x.Answered:
			return unprobed("not probed: the batch was not answered in time")
		case e.Revision == "" || e.Revision == "2025-03-26" || e.Revision == "2024-11-05":
			return unprobed("not probed: no session of a revision without batches")
		case hasResults(x):
			return brokenBy(x, "in a session of revision "+e.Revision+" the requests of a batch were answered with results")
		}
		return held("refused: " + how(x))
	},
	Rule: check.Check{
		ID: "GNT-442", Name: "batch-answered", Severity: finding.Low, Axis: "transport",
		Taxonomy: "MCP07:2025 weak, ASI08 weak, CWE-436 close, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2025-06-18/changelog",
		Doc: `A JSON-RPC batch was answered with results in a session of a revision that has no batches any more (2025-06-18 and later). A gateway that
reads one message a line, as those revisions say, sees none of the calls in it.`,
		Advice: "Answer arrays with -32600.",
	},
})

// hasResults reports whether requests of a batch were answered: in a list, or one by one.
func hasResults(x *probe.Exchange) bool {
	if isResult(x) {
		return true
	}
	if x.Status != 0 && x.Status/100 != 2 {
		return false
	}
	m := message(x.Body)
	if m.Kind() != rawjson.Array {
		return false
	}
	for _, one := range m.Elements() {
		if one.Get("result").Exists() {
			return true
		}
	}
	return false
}
