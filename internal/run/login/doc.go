// Package login stores logins at protected MCP servers, and makes connections use and renew them.
//
// A login is stored by its server's origin: in the system's keyring if there is one, else in a file readable only by its owner. It
// is used only for the URL logged in at and paths below it.
package login
