// Package attackoauth attacks the authorization of MCP clients: a protected MCP server and its
// authorization server, both on this machine, that mix up issuers, name addresses that no client
// should ask or open, and answer what nobody should believe.
//
// A client under test logs in at the server as it would at any other. What it did is judged by what
// the servers saw and by what it said, never by what it says of itself. [Careless] is a client that
// falls for every attack, [Careful] is our own.
package attackoauth
