package clientplan

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
)

// lockAddresses returns a launch's names in lockfiles, one for each of its entries: an entry keeps its address whatever other
// entries and files there are.
func (l *Launch) lockAddresses() []string {
	var out []string
	for _, e := range l.Entries {
		// An entry without a name uses the server's own.
		if a := withoutSecrets(entryAddress(e), l.Target.Guard); a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return out
}

// entryAddress returns CLIENT/NAME, CLIENT:FOLDER/NAME for an entry of one project, and NAME for a file of no particular client.
// Command and URL are not part of it: a new version must be compared with the approved one.
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

// withoutSecrets removes secrets from an address: a key may stand in place of a name, and lockfiles are shared.
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
