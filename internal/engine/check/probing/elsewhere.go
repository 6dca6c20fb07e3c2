package probing

import "gauntlet/internal/leaf/probe"

// Probes whose evidence is judged by a check of its own, or by the trials of tools, and those that
// nobody outside can decide.
var _ = []Probe{
	add(Probe{ID: "P01", Asks: "whether a foreign Origin with the right Host is answered", Effect: probe.Writes, HTTP: true, By: "SEC-018"}),
	add(Probe{ID: "P02", Asks: "whether a foreign Host without Origin is answered", Effect: probe.Writes, HTTP: true, By: "GNT-410"}),
	add(Probe{ID: "P03", Asks: "whether honest requests are answered at all", Effect: probe.Writes, HTTP: true, By: "the condition of the others"}),
	add(Probe{ID: "P04", Asks: "what the answer to P01 allows a page to read", Effect: probe.NoEffect, HTTP: true, By: "SEC-018"}),
	add(Probe{ID: "P09", Asks: "whether session ids can be guessed, outlive their end, or serve another user", Effect: probe.Writes, HTTP: true, By: "GNT-411 and GNT-446"}),
	add(Probe{ID: "P10", Asks: "whether a handle of one user serves another", Effect: probe.Writes, HTTP: true, Stdio: true, By: "GNT-415 for handles of one user; those of two are not tried"}),
	add(Probe{ID: "P11", Asks: "what a request without a token is answered, and which metadata leads to one", Effect: probe.Reads, HTTP: true, By: "SEC-021, SEC-022, GNT-430 to GNT-436"}),
	add(Probe{ID: "P22", Asks: "what tools do with paths, addresses, commands and statements", Effect: probe.Writes, HTTP: true, Stdio: true, By: "the classes of payloads"}),
	add(Probe{ID: "P24", Asks: "whether tools keep to the roots of the client", Effect: probe.Writes, HTTP: true, Stdio: true, By: "MCP-D-002"}),
	add(Probe{ID: "P29", Asks: "whether a changed request state is taken", Effect: probe.Writes, HTTP: true, Stdio: true, By: "GNT-417"}),
	add(Probe{ID: "P33", Asks: "whether stdout holds messages alone", Effect: probe.NoEffect, Stdio: true, By: "GNT-413"}),
	add(Probe{ID: "P34", Asks: "whether the server answers after each of these messages", Effect: probe.Reads, HTTP: true, Stdio: true, By: "GNT-412"}),
	add(Probe{ID: "P36", Asks: "whether the server follows references in schemas", Effect: probe.NoEffect, By: "nobody: a client sends no schemas that a server reads"}),
}
