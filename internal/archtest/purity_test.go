package archtest

import (
	"slices"
	"strings"
)

// A ban refuses an import path and what is below it, or some names of a package, to
// every package that is not free of it.
type ban struct {
	paths  []string
	names  []string // nil: importing is refused; otherwise only using one of these, "Print*" for a prefix
	except []string // paths below that are harmless
	unless freedom
	only   string // the one package that this is about; "" for all
	why    string
}

var bans = []ban{
	{paths: []string{"os", "net", "syscall", "io/ioutil", "plugin", "C", "golang.org/x/sys"},
		// Parsing an address or a URL does no I/O.
		except: []string{"net/url", "net/netip"}, unless: impure | userFace,
		why: "pure packages do no I/O"},
	{paths: []string{"path/filepath"}, names: []string{"Walk*", "Glob", "EvalSymlinks", "Abs"}, unless: impure | userFace,
		why: "pure packages do no I/O"},
	{paths: []string{"time"}, names: []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}, unless: impure,
		why: "time is a parameter of pure packages"},
	{paths: []string{"os"}, names: []string{"Exit"}, unless: mayExit,
		why: "only cmd ends the process"},
	{paths: []string{"os"}, names: []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Clearenv", "Args"}, unless: userFace,
		why: "only internal/cli sees environment and arguments; pass values"},
	{paths: []string{"os"}, names: []string{"Stdin", "Stdout", "Stderr"}, unless: userFace,
		why: "only internal/cli sees the standard streams; take a reader or a writer"},
	{paths: []string{"flag", "github.com/spf13/cobra", "github.com/spf13/pflag"}, unless: userFace,
		why: "only internal/cli sees flags"},
	{paths: []string{"fmt"}, names: []string{"Print*"}, unless: userFace,
		why: "library code never prints"},
	{paths: []string{"log"}, unless: userFace,
		why: "library code never logs"},
	{paths: []string{"gauntlet/verdict"}, only: "internal/cli",
		why: "verdicts are decided below the command line"},
	{paths: []string{"gauntlet/finding"}, names: []string{"Finding", "Evidence", "Fingerprint"}, only: "internal/cli",
		why: "findings are made below the command line"},
}

// refuses says why a package must not import p, "" if it may.
func (r *row) refuses(p string) string {
	for _, b := range bans {
		if b.names == nil && b.holdsFor(r) && b.covers(p) {
			return b.why
		}
	}
	return ""
}

// refusesUse says why a package must not use a name of p, "" if it may.
func (r *row) refusesUse(p, name string) string {
	for _, b := range bans {
		if b.names != nil && b.holdsFor(r) && slices.Contains(b.paths, p) && slices.ContainsFunc(b.names, func(n string) bool { return nameMatches(n, name) }) {
			return b.why
		}
	}
	return ""
}

func (b *ban) holdsFor(r *row) bool {
	return r.not&b.unless == 0 && (b.only == "" || b.only == r.path)
}

func (b *ban) covers(p string) bool {
	return !slices.Contains(b.except, p) && slices.ContainsFunc(b.paths, func(parent string) bool { return under(p, parent) })
}

func nameMatches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
