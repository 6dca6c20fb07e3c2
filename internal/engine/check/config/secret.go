package config

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/redact"
)

var _ = register(Check{
	ID: "GNT-102", Name: "secret-in-configuration", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-260 close, CWE-312 close, CWE-522 close, CWE-798 close, L2 close, L4 weak",
	Axis:     "secret-exposure", Source: "https://cwe.mitre.org/data/definitions/798.html",
	Doc: `The configuration itself contains a key, a token or a password: in a server's environment, arguments, headers,
address or settings, or in a setting of the client, such as its env block. A skill or another text that an agent reads
is searched for secrets by their form, with severity medium: examples have that form too.

Configurations are copied, synchronised and committed, and every program of the user can read them, including
the servers of the same client. Every user of the machine can see the arguments in the list of processes.

Reported: a value that has the form of a known secret, and a literal value under the name of a credential
(GITHUB_TOKEN, --api-key, Authorization, ?access_token=). Entries that are switched off count too, since they
hold the secret all the same. Not reported: references to a variable, an input or a store (${env:TOKEN},
${input:key}, {file:…}), placeholders ("YOUR_API_KEY"), paths, numbers, and names that only look like it
(MAX_TOKENS).

The evidence is masked: the first characters and the length. Neither message nor evidence contains the secret.`,
	Advice: "Revoke the secret if others could read the file. Keep it in the client's secret store or in an environment variable, and refer to it.",
	Run: func(p *Pass) {
		p.secretsInSettings()
		for i := range p.Files {
			for j := range p.Files[i].Entries {
				e := &p.Files[i].Entries[j]
				for _, s := range secretsOf(e) {
					p.Report(Report{File: i, Entry: e, At: s.at, Evidence: Mask(s.text[s.start:s.end]), Masked: true, Start: s.start, End: s.end,
						Message: fmt.Sprintf("%s contains a secret (%s)", s.where, s.why)})
				}
			}
		}
	},
})

// secretsInSettings reports secrets in settings outside servers, and in texts and scripts.
func (p *Pass) secretsInSettings() {
	for i := range p.Files {
		f := &p.Files[i]
		if f.Role != Configuration {
			text := f.Text
			for n, m := range secretsIn(text) {
				if n < mostSecrets && m.why != "url-parameter" && !exampleSecret(text[m.start:m.end]) {
					p.Report(Report{File: i, At: f.PlaceIn(m.start, m.end), Evidence: Mask(text[m.start:m.end]), Masked: true, Severity: finding.Medium,
						Message: fmt.Sprintf("the file contains a secret (%s)", m.why)})
				}
			}
			continue
		}
		for j := range f.Settings {
			s := &f.Settings[j]
			if f.entryOf(s) != nil {
				continue
			}
			value := s.Value.Reveal()
			for _, m := range namedSecrets(lastName(s.Keys), value) {
				p.Report(Report{File: i, At: s.Value.Place, Evidence: Mask(value[m.start:m.end]), Masked: true, Start: m.start, End: m.end,
					Message: fmt.Sprintf("the setting %s contains a secret (%s)", shownName(lastName(s.Keys)), m.why)})
			}
		}
	}
}

// mostSecrets limits the secrets reported per text.
const mostSecrets = 20

func exampleSecret(s string) bool {
	low := strings.ToLower(s)
	for _, w := range []string{"example", "xxxx", "your", "placeholder", "fake", "dummy", "test", "sample", "123456", "abcdef", "changeme", "redacted", "<", "...", "password", "secret", "user:pass", "000000"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// A held is a secret in an entry: text[start:end] of the string at the place.
type held struct {
	span
	text  string
	at    Place
	where string
}

func secretsOf(e *Entry) []held {
	var out []held
	add := func(text string, at Place, where string, spans []span) {
		for _, s := range spans {
			out = append(out, held{s, text, at, where})
		}
	}
	add(e.Command, e.CommandAt, "the command", secretsIn(e.Command))
	hot := hotArgs(e)
	for i, a := range e.Args {
		text := a.Reveal()
		spans := secretsIn(text)
		if s, ok := hot[i]; ok && len(spans) == 0 {
			spans = []span{s}
		}
		add(text, a.Place, fmt.Sprintf("argument %d", i+1), spans)
	}
	for _, v := range e.Env {
		add(v.Value.Reveal(), v.Value.Place, "the environment variable "+shownName(v.Name), namedSecrets(v.Name, v.Value.Reveal()))
	}
	for _, v := range e.Headers {
		add(v.Value.Reveal(), v.Value.Place, "the header "+shownName(v.Name), header(v.Name, v.Value.Reveal()))
	}
	for _, v := range e.Settings {
		add(v.Value.Reveal(), v.Value.Place, "the setting "+shownName(v.Name), namedSecrets(v.Name, v.Value.Reveal()))
	}
	url := e.URL.Reveal()
	spans := secretsIn(url)
	if len(spans) == 0 {
		spans = pathSecret(url)
	}
	add(url, e.URL.Place, "the address", spans)
	return out
}

// shownName quotes a name for a message. A name may contain a secret by mistake.
func shownName(name string) string { return quoteArgument(maskSecrets(name)) }

// namedSecrets finds the secrets in a named value: by form, or all of it if the name is a credential's.
func namedSecrets(name, value string) []span {
	if spans := secretsIn(value); len(spans) > 0 {
		return spans
	}
	low := strings.ToLower(name)
	password := strings.Contains(low, "pass") || strings.Contains(low, "pwd")
	if !redact.CredentialName(name) || refers(value) && credentialReference(value) || !credible(value, password) {
		return nil
	}
	return []span{{0, len(value), "by its name"}}
}

// credentialReference reports whether a value consists of references only.
func credentialReference(value string) bool {
	rest := strings.Trim(literal(value), " \t:/-_")
	return len(rest) < 8
}

// header finds the secret of a header: "Bearer x" and "Basic x" are a scheme and a secret.
func header(name, value string) []span {
	if scheme, rest, ok := strings.Cut(value, " "); ok && !strings.ContainsAny(rest, " ") {
		switch strings.ToLower(scheme) {
		case "bearer", "basic", "token", "apikey", "key", "digest":
			if credible(rest, false) && !refers(rest) {
				return []span{{len(scheme) + 1, len(value), "by its name"}}
			}
			return secretsIn(value)
		}
	}
	return namedSecrets(name, value)
}

// pathSecret finds a random-looking segment in the path of a URL: some services use such URLs as keys.
func pathSecret(url string) []span {
	i := strings.Index(url, "://")
	if i < 0 {
		return nil
	}
	at := i + 3
	for n, seg := range strings.Split(url[at:], "/") {
		seg, _, _ := strings.Cut(seg, "?")
		if n > 0 && drawn(seg) && !refers(seg) {
			return []span{{at, at + len(seg), "a random path"}}
		}
		next := strings.IndexByte(url[at:], '/')
		if next < 0 {
			return nil
		}
		at += next + 1
	}
	return nil
}

// hotArgs finds arguments that are secrets because of what precedes the value: a flag (--token x, --token=x), a
// variable (-e TOKEN=x, TOKEN=x) or a header ("Authorization: x").
func hotArgs(e *Entry) map[int]span {
	out := map[int]span{}
	for i := range e.Args {
		text := e.Args[i].Reveal()
		if i > 0 {
			flag := e.Args[i-1].Reveal()
			// "-e TOKEN" passes a variable on and does not contain its value.
			if strings.HasPrefix(flag, "--") && !strings.Contains(flag, "=") && !strings.HasPrefix(text, "-") {
				if s := namedSecrets(flag, text); len(s) > 0 {
					out[i] = s[0]
					continue
				}
			}
		}
		at := strings.IndexAny(text, "=:")
		if at <= 0 || at+1 >= len(text) {
			continue
		}
		name, value, from := text[:at], text[at+1:], at+1
		if n := strings.TrimLeft(name, "-"); text[at] == '=' && (n == "header" || n == "H" || n == "headers" || n == "env" || n == "e") {
			// --header=NAME: VALUE, --env=NAME=VALUE
			next := strings.IndexAny(value, "=:")
			if next <= 0 || next+1 >= len(value) {
				continue
			}
			at += 1 + next
			name, value, from = value[:next], value[next+1:], at+1
		}
		if text[at] == ':' {
			if strings.HasPrefix(value, "//") {
				continue
			}
			trimmed := strings.TrimLeft(value, " ")
			from += len(value) - len(trimmed)
			if s := header(name, trimmed); len(s) > 0 {
				out[i] = span{s[0].start + from, s[0].end + from, s[0].why}
			}
			continue
		}
		if s := namedSecrets(name, value); len(s) > 0 {
			out[i] = span{s[0].start + from, s[0].end + from, s[0].why}
		}
	}
	return out
}
