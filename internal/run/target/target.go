// Package target reads what a user names to be looked at: snapshot files, lockfiles, and live
// servers, which are started or connected to, asked everything and ended. What cannot be read
// is a problem and keeps nothing else from being read.
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
	File string // a snapshot, "-" for standard input; "" for a live server
	Text string // a snapshot that was made here, called Name; "" for none
	Name string // what messages call a live server; "" for its program, or its URL as wire shows it
	launch.Server

	// Place is where a server of a configuration is written down there.
	Place finding.Location
	// Entries are what the user calls the server; see catalog.Server. None for "nothing".
	Entries []string
}

// Live reports whether the target is a live server.
func (t *Target) Live() bool { return t.File == "" && t.Text == "" }

// IsURL reports whether an argument is meant as the URL of a server.
func IsURL(arg string) bool {
	lower := strings.ToLower(arg)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// AddTo adds the text of a snapshot or a lockfile to a catalog.
func AddTo(c *catalog.Catalog, name, text string, limits catalog.Limits) error {
	if lock.Is(text) {
		return lock.Add(c, name, text, limits)
	}
	return c.Add(name, text, limits)
}

// Failure is the problem of a target of which nothing was read.
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

// FailureText is a problem on one line, with its place.
func FailureText(p finding.Problem) string {
	e := catalog.Error{File: p.Location.File, Line: p.Location.Line, Column: p.Location.Column, Msg: p.Message}
	return e.Error()
}
