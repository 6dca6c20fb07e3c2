// Package attack plays attack documents: it is the adversarial MCP servers and clients that
// a document describes, phase by phase, for real agents and servers to meet.
//
// What a phase is and when it ends is worked out without I/O and without a clock
// ([script], [phaseMachine], [serverState]); drivers put that in front of package mcpserver, which talks
// to agents, and package mcpclient, which talks to servers. An actor has one machine, shared by
// all its conversations, and what its extractors capture is there for all actors.
//
// Documents and peers are both a stranger's. Nothing that one of them sends may stop the
// run, another conversation, or the end of the run at its limit.
package attack
