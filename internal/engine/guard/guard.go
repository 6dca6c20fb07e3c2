// Package guard decides about one call of an agent's tool before it runs, by rules and without a model: a hook of the
// client asks it. What it does not object to is left to the client and its user.
package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/engine/acts"
	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
	"gauntlet/internal/leaf/startup"
	"gauntlet/internal/leaf/yamltext"
	"gauntlet/rawjson"
)

// A Call is what an agent is about to do.
type Call struct {
	Tool    string
	Strings []string // all that it gives the tool, names of members left out
	Server  bool     // the tool is a server's
	Raw     string   // the whole call as JSON text
}

// A Decision is what is said of a call: nothing, that its user be asked, or that it must not run.
type Decision string

// The decisions. Pass leaves it to the client.
const (
	Pass Decision = "allow"
	Ask  Decision = "ask"
	Deny Decision = "deny"
)

// A Policy is what a user decided beforehand. The zero Policy is the default.
type Policy struct {
	Hosts       []string          // where calls may go; nil for anywhere
	Credentials Decision          // for files of credentials; "" for Deny
	Startup     Decision          // for files that other programs start from; "" for Ask
	Canaries    *redact.Redactor  // of values that must not stand in a call, in any encoding that it knows
	Tools       map[string]string // by name, * at its end for all that begin so: allow, ask or deny
	Lockfile    string            // of files that agents read; "" for none
}

// ParsePolicy reads a policy file.
func ParsePolicy(text string) (Policy, error) {
	var p Policy
	document, err := yamltext.Document(text, "a policy", 1<<20)
	if err != nil || document == nil {
		return p, err
	}
	asJSON, fault := yamltext.JSON(document)
	if fault != nil {
		return p, fmt.Errorf("line %d: %s", fault.Line, fault.Msg)
	}
	var tree rawjson.Tree
	if err := tree.Parse(asJSON, 0); err != nil {
		return p, err
	}
	root := tree.Root()
	if root.Kind() != rawjson.Object {
		return p, errors.New("want keys such as hosts and credentials")
	}
	for m := range root.Members() {
		name, v := m.Key.Text(), m.Value
		switch name {
		case "hosts":
			p.Hosts, err = wordsOf(v)
			if p.Hosts == nil {
				p.Hosts = []string{}
			}
		case "canaries":
			p.Canaries, err = canariesOf(v)
		case "credentials":
			p.Credentials, err = decisionOf(v)
		case "startup":
			p.Startup, err = decisionOf(v)
		case "lockfile":
			p.Lockfile = v.Text()
		case "tools":
			p.Tools = map[string]string{}
			for t := range v.Members() {
				var d Decision
				if d, err = decisionOf(t.Value); err != nil {
					break
				}
				p.Tools[strings.Clone(t.Key.Text())] = string(d)
			}
		default:
			err = errors.New("no such key: want hosts, credentials, startup, canaries, tools or lockfile")
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
	}
	return p, nil
}

func wordsOf(v rawjson.Value) (out []string, err error) {
	if v.Kind() != rawjson.Array {
		return nil, errors.New("want a list")
	}
	for _, e := range v.Elements() {
		if e.Kind() != rawjson.String || e.Text() == "" {
			return nil, errors.New("want a list of texts; a number needs quotation marks")
		}
		out = append(out, strings.Clone(e.Text()))
	}
	return out, nil
}

func canariesOf(v rawjson.Value) (*redact.Redactor, error) {
	words, err := wordsOf(v)
	for i, w := range words {
		if len(w) < redact.Shortest {
			return nil, fmt.Errorf("a canary of less than %d bytes is in every other call", redact.Shortest)
		}
		words[i] = "canary=" + w
	}
	return redact.New(words), err
}

func decisionOf(v rawjson.Value) (Decision, error) {
	switch d := Decision(v.Text()); d {
	case Pass, Ask, Deny:
		return Decision(strings.Clone(string(d))), nil
	}
	return "", errors.New("want allow, ask or deny")
}

// A Verdict is a decision with its reason, which quotes no secret.
type Verdict struct {
	Decision Decision
	Reason   string
}

// Decide judges a call. changed are files that agents read and that are not what was approved.
func Decide(p Policy, c Call, changed []string) Verdict {
	worst := Verdict{Decision: Pass}
	say := func(d Decision, format string, args ...any) {
		if rank(d) > rank(worst.Decision) {
			worst = Verdict{d, fmt.Sprintf(format, args...)}
		}
	}
	if d, ok := p.toolRule(c.Tool); ok {
		if d == Pass {
			return worst // the user wants it whatever it does
		}
		say(d, "the policy says so of %s", c.Tool)
	}
	if p.Canaries.Replace(c.Raw) != c.Raw {
		say(Deny, "the call holds a canary: something is being taken")
	}
	for _, s := range c.Strings {
		if c.Server {
			if found := secret.Find(s); len(found) > 0 {
				say(Deny, "the call hands a secret (%s) to a server", found[0].Rule)
			}
		}
		p.judgeCode(s, say)
		p.judgeWords(s, say)
	}
	for _, file := range changed {
		say(Ask, "%s has changed since it was approved", file)
	}
	return worst
}

func rank(d Decision) int { return slices.Index([]Decision{Pass, Ask, Deny}, d) }

// toolRule is what the policy says of a tool by name.
func (p *Policy) toolRule(tool string) (Decision, bool) {
	if d, ok := p.Tools[tool]; ok {
		return Decision(d), true
	}
	best, length := Decision(""), -1
	for name, d := range p.Tools {
		if prefix, ok := strings.CutSuffix(name, "*"); ok && strings.HasPrefix(tool, prefix) && len(prefix) > length {
			best, length = Decision(d), len(prefix)
		}
	}
	return best, length >= 0
}

// The longest command that is judged, a hook having 50 ms, and the longest line of it, in bytes.
const (
	longest     = 256 << 10
	longestLine = 64 << 10
)

func tooLong(s string) bool {
	if len(s) > longest {
		return true
	}
	for line := range strings.Lines(s) {
		if len(line) > longestLine {
			return true
		}
	}
	return false
}

// judgeCode reads a string as a command.
func (p *Policy) judgeCode(s string, say func(Decision, string, ...any)) {
	if tooLong(s) {
		say(Deny, "a part of the call is too long to be judged")
		return
	}
	found := acts.Code(s)
	d := Ask
	switch acts.Judge(found) {
	case acts.Fine:
		return
	case acts.Hostile:
		d = Deny
	}
	heaviest := found[0]
	for _, a := range found {
		if a.Weight > heaviest.Weight {
			heaviest = a
		}
	}
	say(d, "the call %s", heaviest.Says)
}

// judgeWords reads a string for paths and addresses.
func (p *Policy) judgeWords(s string, say func(Decision, string, ...any)) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`()<>;|&,=", r) }) {
		if at := strings.Index(w, "://"); at >= 0 {
			host := w[at+3:]
			if n := strings.IndexAny(host, "/?#:"); n >= 0 {
				host = host[:n]
			}
			host = strings.ToLower(host)
			if p.Hosts != nil && hostscope.Of(host) == hostscope.Public && !slices.ContainsFunc(p.Hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) }) {
				say(Deny, "the policy does not name the host %s", host)
			}
			continue
		}
		if d := credentialFile(w); d != Pass {
			if p.Credentials != "" {
				d = p.Credentials
			}
			say(d, "the call names a file that holds credentials: %s", w)
		}
		if what := startup.What("/" + strings.TrimPrefix(strings.TrimPrefix(w, "~/"), "/")); what != "" {
			d := p.Startup
			if d == "" {
				d = Ask
			}
			say(d, "the call names a file %s: %s", what, w)
		}
	}
}

// credentialFile says what a path deserves: Deny for one that holds credentials, Ask for one that may, Pass for another.
func credentialFile(path string) Decision {
	low := strings.ToLower(strings.ReplaceAll(path, `\`, "/"))
	name := low[strings.LastIndexByte(low, '/')+1:]
	switch {
	case strings.HasSuffix(name, ".pub") || strings.HasSuffix(name, ".example") || strings.HasSuffix(name, ".sample"):
		return Pass
	case name == ".env" || strings.HasPrefix(name, ".env."):
		return Ask
	case slices.Contains([]string{"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".netrc", "_netrc", ".pypirc", ".git-credentials", ".pgpass", "credentials.json", "login.keychain-db", "wallet.dat", "logins.json"}, name):
		return Deny
	}
	for _, part := range []string{"/.ssh/", "/.aws/credentials", "/.gnupg/", "/.kube/config", "/.docker/config.json", "/.config/gcloud/", "/gh/hosts.yml", "/etc/shadow", "/keychains/", "/.password-store/", "/.azure/"} {
		if strings.Contains("/"+low, part) && name != "known_hosts" && name != "config" || strings.HasSuffix("/"+low, part) {
			return Deny
		}
	}
	return Pass
}
