// Package attackmcp is the MCP binding (§7.1): it plays the adversarial MCP servers and clients of attack documents.
//
// What a server shows in a phase is computed without I/O ([serverState]); package mcpserver serves it to agents, and package
// mcpclient talks to servers.
package attackmcp
