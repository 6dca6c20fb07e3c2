// Package attackoauth attacks the authorization of MCP clients: a protected MCP server and its authorization server, both on this
// machine, that mix up issuers, name addresses that no client should request or open, and give answers that nobody should believe.
//
// A client under test logs in as it would at any server. It is judged by what the servers and its output showed, never by its own
// verdict. [Careless] is vulnerable to every attack, [Careful] is our own client.
package attackoauth
