package proberun

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// A demand is what a server wants before it starts: variables of its environment, options and
// arguments of its command line.
type demand struct {
	env  []string // NAME=VALUE
	args []string
}

// names are what was supplied, without values.
func (d *demand) names() []string {
	var out []string
	for _, e := range d.env {
		name, _, _ := strings.Cut(e, "=")
		out = append(out, name)
	}
	for _, a := range d.args {
		if strings.HasPrefix(a, "--") {
			out = append(out, a)
		}
	}
	return out
}

// secrets are the values that are random, as NAME=VALUE.
func (d *demand) secrets() []string {
	var out []string
	for _, e := range d.env {
		if _, value, _ := strings.Cut(e, "="); len(value) >= 20 && !strings.ContainsAny(value, ":/.@") {
			out = append(out, e)
		}
	}
	return out
}

const (
	mostDemanded = 12       // of one start
	mostStderr   = 64 << 10 // bytes of what a server said
)

var (
	variableName = lazyregexp.New(`\b[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6}\b`)
	optionName   = lazyregexp.New(`(?:^|[\s'"\x60(])(--[a-z][a-z0-9-]{1,40})`)
	wantingWords = lazyregexp.New(`(?i)\b(?:required|requires|missing|not (?:set|found|provided|defined|configured|specified)|must (?:be|set|provide|have|specify)|please (?:set|provide|specify|add|configure)|needs?|undefined|is empty|environment variables?)\b`)
	// Names of the runtimes and of their errors, which no server waits for.
	runtimeName = lazyregexp.New(`^(?:ERR|NODE|NPM|PYTHON|UV|GO|MODULE|COMMONJS|ESM|LD|XDG|DEP|CERT|SELF|UNABLE|DEPTH)_`)
)

// readDemand reads what a server said before it ended for what it misses. Names count on lines that
// say that something is missing, and on the lines of a list behind such a line. have is what it was
// given already.
func readDemand(text string, have []string, root string) demand {
	var d demand
	text = text[:min(len(text), mostStderr)]
	near := 7 // lines since one that says that something is missing
	for line := range strings.Lines(text) {
		near++
		if wantingWords.MatchString(line) {
			near = 0
		}
		if near > 6 || strings.HasPrefix(strings.TrimSpace(line), "at ") {
			continue
		}
		for _, name := range variableName.FindAllString(line, mostDemanded) {
			if len(d.env) < mostDemanded && !runtimeName.MatchString(name) && !holdsName(have, name) && !holdsName(d.env, name) {
				d.env = append(d.env, name+"="+suppliedValue(name, root))
			}
		}
	}
	if len(d.env) == 0 {
		d.args = demandedOptions(text, have, root)
	}
	return d
}

// demandedOptions returns options that are said to be missing, with values.
func demandedOptions(text string, have []string, root string) (out []string) {
	for line := range strings.Lines(text) {
		if !wantingWords.MatchString(line) {
			continue
		}
		for _, m := range optionName.FindAllStringSubmatch(line, mostDemanded) {
			name := m[1]
			if name == "--help" || name == "--version" || slices.Contains(have, name) || slices.Contains(out, name) || len(out) >= 2*mostDemanded {
				continue
			}
			out = append(out, name, suppliedValue(strings.ToUpper(name[2:]), root))
		}
	}
	return out
}

func holdsName(pairs []string, name string) bool {
	return slices.ContainsFunc(pairs, func(p string) bool { return strings.HasPrefix(p, name+"=") })
}

// suppliedValue makes a value of the kind that a name asks for. Addresses lead to a host that the
// sandbox answers for and nobody else; keys are random and open nothing.
func suppliedValue(name, root string) string {
	has := func(words ...string) bool {
		parts := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' })
		return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(words, p) })
	}
	switch {
	case has("DATABASE", "POSTGRES", "PG", "DB") && has("URL", "URI", "DSN"):
		return "postgresql://user:" + randomWord(16) + "@db.service.test:5432/example"
	case has("MONGO", "MONGODB") && has("URL", "URI"):
		return "mongodb://db.service.test:27017/example"
	case has("REDIS") && has("URL", "URI"):
		return "redis://db.service.test:6379"
	case has("URL", "URI", "ENDPOINT", "BASE", "BASEURL", "INSTANCE", "SITE", "SERVER"):
		return "https://api.service.test"
	case has("HOST", "DOMAIN", "HOSTNAME"):
		return "api.service.test"
	case has("PORT"):
		return "8443"
	case has("EMAIL", "MAIL"):
		return "ada@service.test"
	case has("DIR", "PATH", "FOLDER", "ROOT", "DIRECTORY", "VAULT", "WORKSPACE"):
		return root
	case has("FILE"):
		return root + "/notes.txt"
	case has("REGION"):
		return "us-east-1"
	}
	return randomWord(26)
}
