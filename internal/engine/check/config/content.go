package config

import (
	"encoding/json"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/redact"
)

// Content hashes what a file says, for comparison over time: the bytes of a text, script or program, or a
// configuration's servers and settings without secrets.
func (f *File) Content() string {
	if f.Sum != "" {
		return f.Sum
	}
	return content(f, nil)
}

// content is the content hash of an entry, or of all entries of a file for a finding about the file. Secrets are masked
// or omitted first: the hash is kept in a repository, where one over a weak password could be guessed. So a replaced
// key does not bring back a finding, but a new command, argument, variable or address does.
func content(f *File, e *Entry) string {
	if e != nil {
		return finding.ContentHash(e.canonicalEntry())
	}
	if f.Text != "" {
		return finding.ContentHash(f.Text)
	}
	hashes := make([]string, len(f.Entries), len(f.Entries)+1)
	for i := range f.Entries {
		hashes[i] = finding.ContentHash(f.Entries[i].canonicalEntry())
	}
	if len(f.Settings) > 0 {
		hashes = append(hashes, finding.ContentHash(f.canonicalSettings()))
	}
	return finding.JoinContent(hashes...)
}

// canonicalEntry returns an entry as JSON in a unique spelling, without secrets.
func (e *Entry) canonicalEntry() string {
	text, err := json.Marshal(struct {
		Name, Transport, Command, Cwd, EnvFile, URL string
		Env, Headers, Settings                      [][2]string
		Disabled                                    bool
	}{
		e.Name, string(e.Transport), e.CommandLine(), e.Cwd, e.EnvFile, e.Address(),
		maskedPairs(e.Env), maskedPairs(e.Headers), maskedPairs(e.Settings), e.Disabled,
	})
	if err != nil { // impossible for strings and a bool
		panic(err)
	}
	return string(text)
}

// canonicalSettings returns a file's settings without secrets.
func (f *File) canonicalSettings() string {
	var b strings.Builder
	for i := range f.Settings {
		s := &f.Settings[i]
		b.WriteString(s.way())
		if value := s.Value.Reveal(); len(value) <= MaxJudged && !redact.CredentialName(lastName(s.Keys)) {
			b.WriteString("=" + maskSecrets(value))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func lastName(keys []string) string {
	for i := len(keys) - 1; i >= 0; i-- {
		if keys[i] != "" {
			return keys[i]
		}
	}
	return ""
}

// maskedPairs lists variables with their values, omitting credentials.
func maskedPairs(vs []Variable) [][2]string {
	out := make([][2]string, len(vs))
	for i, v := range vs {
		out[i] = [2]string{v.Name, maskSecrets(v.Value.Reveal())}
		if redact.CredentialName(v.Name) {
			out[i][1] = ""
		}
	}
	return out
}
