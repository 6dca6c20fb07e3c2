package config

import (
	"encoding/json"

	"gauntlet/finding"
)

// content is the content hash of an entry, or of all entries of a file where a finding is
// about the file. Secrets are masked or left out first: a hash is kept in a repository,
// and one over a weak password could be guessed. So a new key in the old place does not
// bring a finding back; a new command, argument, variable or address does.
func content(f *File, e *Entry) string {
	if e != nil {
		return finding.ContentHash(e.canonical())
	}
	hashes := make([]string, len(f.Entries))
	for i := range f.Entries {
		hashes[i] = finding.ContentHash(f.Entries[i].canonical())
	}
	return finding.JoinContent(hashes...)
}

// canonical is what an entry says, in JSON with one spelling, without its secrets.
func (e *Entry) canonical() string {
	text, err := json.Marshal(struct {
		Name, Transport, Command, Cwd, EnvFile, URL string
		Env, Headers, Settings                      [][2]string
		Disabled                                    bool
	}{
		e.Name, string(e.Transport), e.CommandLine(), e.Cwd, e.EnvFile, e.Address(),
		told(e.Env), told(e.Headers), told(e.Settings), e.Disabled,
	})
	if err != nil { // strings and a bool: there is no such error
		panic(err)
	}
	return string(text)
}

// told lists variables with their values, those of credentials left out.
func told(vs []Variable) [][2]string {
	out := make([][2]string, len(vs))
	for i, v := range vs {
		out[i] = [2]string{v.Name, clean(v.Value.Reveal())}
		if credentialName(v.Name) {
			out[i][1] = ""
		}
	}
	return out
}
