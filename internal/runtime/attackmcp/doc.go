// Package attackmcp is the binding of MCP (§7.1): it plays the adversarial MCP servers and clients
// of attack documents.
//
// What a server shows in a phase is worked out without I/O ([serverState]); drivers put that in front
// of package mcpserver, which talks to agents, and package mcpclient, which talks to servers.
package attackmcp
