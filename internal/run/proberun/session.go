package proberun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
)

// openSession opens a session with the started server: over stdio, or where it is found to listen in its sandbox.
func (r *run) openSession(ctx context.Context) (err error) {
	inTime, cancel := context.WithTimeout(ctx, listenTime)
	defer cancel()
	sealed := r.opened.Sandbox != nil
	switch {
	case r.inside.URL != "":
		at, found := launch.FindEndpoint(inTime, r.opened, launch.Clue{At: r.At, Last: r.inside})
		if !found {
			return fmt.Errorf("%s: it does not listen again", r.opened.Place)
		}
		r.inside = at
	case sealed:
		if r.inside, err = r.shakeHands(ctx); r.inside.URL == "" {
			return err
		}
	}
	if r.inside.URL != "" {
		if err := r.Dialer.SpeakAt(&r.Server, r.opened, r.inside, r.tap); err != nil {
			return err
		}
		r.out.Place = r.opened.Place
	}
	return r.begin(ctx)
}

// listenTime bounds the time from a server's start until it listens.
const listenTime = 60 * time.Second

func (r *run) begin(ctx context.Context) (err error) {
	name, version := r.opened.IntroducedAs("gauntlet", r.Version)
	r.opened.WhileSilent(r.Progress.Tell, func() {
		r.session, err = mcpclient.Open(ctx, r.opened.Conn, mcpclient.Options{
			Name: name, Version: version, Timeout: handshakeTime, Items: r.Limits.Items, Redact: r.opened.Conn.Redact,
			Capabilities: `{"roots":{}}`, Answer: r.answerServer,
		})
	})
	if err != nil {
		return r.explainSilence(err)
	}
	return nil
}

// shakeHands opens the session with a sealed stdio server. If it does not answer there but listens somewhere, the address is
// returned without waiting further.
func (r *run) shakeHands(ctx context.Context) (at launch.Endpoint, err error) {
	inTime, cancel := context.WithCancel(ctx)
	defer cancel()
	var watching sync.WaitGroup
	watching.Go(func() { // ends with the handshake
		if found, ok := launch.FindEndpoint(inTime, r.opened, launch.Clue{At: r.At}); ok {
			at = found
			cancel()
		}
	})
	err = r.begin(inTime)
	cancel()
	watching.Wait()
	if err == nil {
		return launch.Endpoint{}, nil
	}
	return at, err
}

// handshakeTime bounds the wait for the first answer.
const handshakeTime = 30 * time.Second

// explainSilence adds where a server that could not be opened listens.
func (r *run) explainSilence(err error) error {
	err = fmt.Errorf("%s: %w", r.opened.Place, err)
	if r.opened.Sandbox == nil || gone(err) {
		return err
	}
	if sockets, _ := r.opened.Sandbox.Listening(); len(sockets) > 0 { // none if unreadable
		return fmt.Errorf("%w; it listens at %s, and nothing there was recognised as MCP: --at names its address", err, sockets[0])
	}
	return err
}

// ended reports whether the server has ended, by a request's error or its process.
func (r *run) ended(err error) bool {
	if gone(err) || r.session.Err() != nil {
		return true
	}
	if r.inside.URL == "" || r.opened.Process == nil {
		return false
	}
	select {
	case <-r.opened.Process.Exited():
		return true
	default:
		return false
	}
}

// A demand is what a server requires to start: environment variables, options and arguments.
type demand struct {
	env  []string // NAME=VALUE
	args []string
}

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
	mostDemanded = 12       // per start
	mostStderr   = 64 << 10 // bytes of a server's output
)

var (
	variableName = lazyregexp.New(`\b[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6}\b`)
	optionName   = lazyregexp.New(`(?:^|[\s'"\x60(])(--[a-z][a-z0-9-]{1,40})`)
	wantingWords = lazyregexp.New(`(?i)\b(?:required|requires|missing|not (?:set|found|provided|defined|configured|specified)|must (?:be|set|provide|have|specify)|please (?:set|provide|specify|add|configure)|needs?|undefined|is empty|environment variables?)\b`)
	// runtimeName matches names of runtimes and their errors, which no server asks for.
	runtimeName = lazyregexp.New(`^(?:ERR|NODE|NPM|PYTHON|UV|GO|MODULE|COMMONJS|ESM|LD|XDG|DEP|CERT|SELF|UNABLE|DEPTH)_`)
)

// readDemand reads what is missing from the last output of a server that ended. Names count on lines that say that something is
// missing, and in a list after such a line. have is what it was given already.
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
			if _, set := wire.Lookup(slices.Concat(have, d.env), name); !set && len(d.env) < mostDemanded && !runtimeName.MatchString(name) {
				d.env = append(d.env, name+"="+MadeUp(name, root))
			}
		}
	}
	if len(d.env) == 0 {
		d.args = demandedOptions(text, have, root)
	}
	return d
}

// demandedOptions returns options reported as missing, with values.
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
			out = append(out, name, MadeUp(strings.ToUpper(name[2:]), root))
		}
	}
	return out
}

// MadeUp returns a value for a variable or option that a sealed server wants. Addresses lead to a host that only the sandbox answers
// for; keys are random and open nothing. root is its folder.
func MadeUp(name, root string) string {
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
