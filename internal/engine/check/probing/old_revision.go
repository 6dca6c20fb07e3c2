package probing

import "gauntlet/internal/leaf/probe"

var _ = add(Probe{
	ID: "P37", Asks: "whether the server agrees on revision 2024-11-05, which knows no protection of the later ones", Effect: probe.Writes, HTTP: true, Era: probe.Handshake,
	Steps: []Step{{Body: `{"jsonrpc":"2.0","id":"old","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"gauntlet","version":"1"}}}`}},
	Judge: func(e *probe.Protocol) Verdict {
		x := e.Find("P37", "")
		switch {
		case x == nil || !x.Answered:
			return Verdict{}
		case isResult(x) && message(x.Body).Get("result").Get("protocolVersion").Text() == "2024-11-05":
			return unprobed("it agrees on 2024-11-05, which has no MCP-Protocol-Version header, no metadata of protected resources and no HTTP 403 for a foreign Origin")
		}
		return held("it does not agree on 2024-11-05")
	},
})
