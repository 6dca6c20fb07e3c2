package cli

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/check/config"
	"gauntlet/internal/secret"
	"gauntlet/internal/wire"
)

// addresses are what lockfiles call the server of a launch, one for each entry that comes
// to it: an entry has its address whatever stands beside it, also in other files.
func (l *launch) addresses() []string {
	var out []string
	for _, e := range l.entries {
		// An entry without a name goes by the server's own.
		if a := concealed(entryAddress(e), l.target.guard); a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return out
}

// entryAddress is CLIENT/NAME, CLIENT:FOLDER/NAME for what holds in one project alone, and
// NAME for a file that is of no client in particular. Nothing of the command or the URL is in
// it: a new version of a server is to be compared with the approved one.
func entryAddress(e *config.Entry) string {
	name := strings.TrimSpace(e.Name)
	if name == "" || e.Client == config.Generic {
		return name
	}
	scope := string(e.Client)
	if e.Project != "" {
		scope += ":" + path.Base(strings.ReplaceAll(e.Project, `\`, "/"))
	}
	return scope + "/" + name
}

// concealed returns an address without what may be secret: somebody may have put a key where
// a name belongs, and a lockfile is for others to read.
func concealed(address string, guard []string) string {
	address = wire.Redactor(guard).Replace(address)
	var b strings.Builder
	at := 0
	for _, m := range secret.Find(address) {
		b.WriteString(address[at:m.Start] + "KEY")
		at = m.End
	}
	return b.String() + address[at:]
}

// mark tells servers by how the user found them, so that they can be told apart in a lockfile
// and matched with what it holds.
func mark(servers []*catalog.Server, t *target) {
	at := whereabouts(t)
	for _, s := range servers {
		if t.entries != nil {
			s.Entries = t.entries
		}
		if t.live() {
			s.Target = cmp.Or(at.URL, at.Command)
		}
	}
}
