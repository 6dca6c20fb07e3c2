package probing

import (
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

var _ = []Probe{
	add(Probe{ID: "P16", Asks: "what a cursor is answered that the server never gave out", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake, By: "GNT-412 and SEC-020", Steps: []Step{
		{Name: "forged cursor", Body: `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"gauntlet-forged"}}`},
		{Name: "long cursor", Body: `{"jsonrpc":"2.0","id":31,"method":"tools/list","params":{"cursor":"` + longID + `"}}`},
		{Name: "cursor that is no text", Body: `{"jsonrpc":"2.0","id":32,"method":"tools/list","params":{"cursor":{"$gt":""}}}`},
	}}),
	add(Probe{ID: "P17", Asks: "what unknown methods, tools, prompts and resources are answered", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake, By: "GNT-412 and SEC-020", Steps: []Step{
		{Name: "unknown method", Body: `{"jsonrpc":"2.0","id":4,"method":"gauntlet/unknown"}`},
		{Name: "unknown tool", Body: `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"gauntlet-unknown","arguments":{}}}`},
		{Name: "tool named like a member of every object", Body: `{"jsonrpc":"2.0","id":51,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}`},
		{Name: "unknown prompt", Body: `{"jsonrpc":"2.0","id":52,"method":"prompts/get","params":{"name":"gauntlet-unknown"}}`},
		{Name: "unknown resource", Body: `{"jsonrpc":"2.0","id":53,"method":"resources/read","params":{"uri":"gauntlet://unknown"}}`},
	}}),
	add(Probe{ID: "P18", Asks: "what messages are answered that are malformed", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake, By: "GNT-412 and SEC-020", Steps: []Step{
		{Name: "malformed", Body: `{"jsonrpc":"2.0","id":6,"method":"tools/list"`, Quiet: true},
		{Name: "wrong version", Body: `{"jsonrpc":"1.0","id":7,"method":"ping"}`, Quiet: true},
		{Name: "null id", Body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, Quiet: true},
		{Name: "object as id", Body: `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, Quiet: true},
		{Name: "id of 64 KiB", Body: `{"jsonrpc":"2.0","id":"` + longID + `","method":"ping"}`, Quiet: true},
		{Name: "id that is no number of a program", Body: `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, Quiet: true},
		{Name: "number as method", Body: `{"jsonrpc":"2.0","id":71,"method":7}`, Quiet: true},
		{Name: "list as params", Body: `{"jsonrpc":"2.0","id":72,"method":"tools/call","params":[1]}`, Quiet: true},
		{Name: "response that nobody asked for", Body: `{"jsonrpc":"2.0","id":"gauntlet-unasked","result":{}}`, Quiet: true},
		{Name: "id used before", Body: `{"jsonrpc":"2.0","id":4,"method":"ping"}`, Quiet: true},
		{Name: "20,000 brackets", Body: deep, Quiet: true},
		{Name: "text that is no UTF-8", Body: "{\"jsonrpc\":\"2.0\",\"id\":73,\"method\":\"\xff\xfe\"}", Quiet: true},
	}}),
	add(Probe{ID: "P06", Asks: "whether a revision that does not exist is answered", Effect: probe.Reads, HTTP: true, Era: probe.Handshake, By: "the posture map", Steps: []Step{
		{Body: `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, Header: map[string]string{mcp.HeaderProtocolVersion: "1900-01-01"}},
	}}),
	add(Probe{ID: "P30", Asks: "whether two lists in a row are the same", Effect: probe.Reads, HTTP: true, Stdio: true, Era: probe.Handshake, By: "the posture map", Steps: []Step{
		{Name: "first", Body: `{"jsonrpc":"2.0","id":10,"method":"tools/list"}`},
		{Name: "second", Body: `{"jsonrpc":"2.0","id":10,"method":"tools/list"}`},
	}}),
}
