// Package oauth is the OAuth client of an MCP client: it finds out where a protected MCP server
// sends its users, registers, has the user authorize, and obtains, renews and revokes tokens, as
// the specification of MCP (2025-11-25 and 2026-07-28, basic/authorization) has it.
//
// What it reads comes from strangers. A [Guard] stands before every request: only origins that the
// user or verified metadata named are asked, private addresses only where the server itself is
// private, and nothing but HTTPS away from this machine. Messages of errors hold no token, code or
// secret, and no control character.
package oauth
