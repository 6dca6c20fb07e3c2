// Package login keeps the logins at protected MCP servers, and has connections use and renew them.
//
// A login is kept by the origin of its server: in the keyring of the system where there is one, else
// in a file that only its owner can read. It is used for the URL that the user logged in at and for
// what lies below it, and for nothing else.
package login
