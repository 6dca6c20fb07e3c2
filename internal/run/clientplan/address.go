package clientplan

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
)

// lockAddresses are what lockfiles call the server of a launch, one for each entry that comes
// to it: an entry has its address whatever stands beside it, also in other files.
func (l *Launch) lockAddresses() []string {
	var out []string
	for _, e := range l.Entries {
		// An entry without a name goes by the server's own.
		if a := withoutSecrets(entryAddress(e), l.Target.Guard); a != "" && !slices.Contains(out, a) {
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

// withoutSecrets returns an address without what may be secret: somebody may have put a key where
// a name belongs, and a lockfile is for others to read.
func withoutSecrets(address string, guard []string) string {
	address = redact.New(guard).Replace(address)
	var b strings.Builder
	at := 0
	for _, m := range secret.Find(address) {
		b.WriteString(address[at:m.Start] + "KEY")
		at = m.End
	}
	return b.String() + address[at:]
}
