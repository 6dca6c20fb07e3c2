// Package target reads what a user names: snapshot files, lockfiles, and live servers, which are started or connected to, asked
// everything and ended. What cannot be read is a problem and does not affect the rest.
package target

import (
	"errors"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/launch"
	"gauntlet/lock"
)

// A Target is one thing to read: a snapshot, or a live server.
type Target struct {
	File string // snapshot file, "-" for standard input; "" for a live server
	Text string // a generated snapshot, called Name; or ""
	Name string // a live server's name in messages; "" for its program, or its URL as shown by wire
	launch.Server

	// Place is where a configuration defines the server.
	Place finding.Location
	// Entries are the user's names for the server; see catalog.Server.
	Entries []string
}

// Live reports whether the target is a live server.
func (t *Target) Live() bool { return t.File == "" && t.Text == "" }

// IsURL reports whether an argument is meant as a server's URL.
func IsURL(arg string) bool {
	lower := strings.ToLower(arg)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// AddTo adds a snapshot or lockfile to a catalog.
func AddTo(c *catalog.Catalog, name, text string, limits catalog.Limits) error {
	if lock.Is(text) {
		return lock.Add(c, name, text, limits)
	}
	return c.Add(name, text, limits)
}

// Failure returns the problem of a target that could not be read.
func Failure(t *Target, err error) finding.Problem {
	p := finding.Problem{Kind: finding.Failed, Message: err.Error(), Location: t.Place}
	if !t.Live() {
		p.Location.File = t.File
	}
	var e *catalog.Error
	if errors.As(err, &e) {
		p.Message, p.Location.Line, p.Location.Column = e.Msg, e.Line, e.Column
	}
	return p
}

// FailureText returns a problem on one line, with its place.
func FailureText(p finding.Problem) string {
	e := catalog.Error{File: p.Location.File, Line: p.Location.Line, Column: p.Location.Column, Msg: p.Message}
	return e.Error()
}
