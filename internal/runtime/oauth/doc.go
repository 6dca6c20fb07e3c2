// Package oauth is the OAuth client of an MCP client: it discovers a protected server's authorization server, registers, has the
// user authorize, and obtains, renews and revokes tokens, as MCP specifies (2025-11-25 and 2026-07-28, basic/authorization).
//
// Its input comes from strangers, so a [Guard] checks every request: it goes only to origins named by the user or verified
// metadata, to private addresses only if the server itself is private, and always over HTTPS except on this machine. Error messages
// hold no token, code, secret or control character.
package oauth
