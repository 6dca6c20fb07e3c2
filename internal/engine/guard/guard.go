// Package guard decides about one call of an agent's tool before it runs, by rules and without a model: a hook of the
// client asks it. What it does not object to is left to the client and its user.
package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/engine/acts"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/secret"
	"gauntlet/internal/leaf/text"
	"gauntlet/internal/leaf/yamltext"
	"gauntlet/rawjson"
)

// A Call is what an agent is about to do.
type Call struct {
	Tool   string
	Event  string // of the client, by its own name; "" for an unknown one
	Args   []Arg
	Server bool   // the tool is a server's
	Raw    string // the whole call as JSON text
	// Resolve returns what a path leads to by links, "" for nothing else; nil if that cannot be asked.
	Resolve func(path string) string
	// Read returns what is in a script that the call runs, "" for no script, and whether that is all; nil if it cannot be asked.
	Read func(path string) (text string, whole bool)
}

// An Arg is a text that a call gives its tool, under the name of the member that it stands in.
type Arg struct{ Name, Text string }

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
	var tree rawjson.Tree
	root, err := yamltext.Object(&tree, text, "a policy", "keys such as hosts and credentials", 1<<20)
	if err != nil {
		return p, err
	}
	for m := range root.Members() {
		name, v := m.Key.Text(), m.Value
		switch name {
		case "hosts":
			p.Hosts, err = wordsOf(v)
			if slices.ContainsFunc(p.Hosts, func(h string) bool { return strings.ContainsAny(h, "*/:") }) {
				err = errors.New("want names of hosts, as github.com, which stands for those below it, too")
			}
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
				if d, err = decisionOf(t.Value); err == nil && strings.Contains(strings.TrimSuffix(t.Key.Text(), "*"), "*") {
					err = errors.New("want names of tools, with * only at the end")
				}
				if err != nil {
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
			worst = Verdict{d, visible(fmt.Sprintf(format, args...))}
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
	j := judge{policy: &p, call: &c, say: say}
	for _, a := range c.Args {
		j.secrets(a)
		p.judgeHosts(a.Text, say)
		j.arg(a)
	}
	for _, file := range changed {
		say(Ask, "%s has changed since it was approved", file)
	}
	return worst
}

// visible replaces what could control the terminal of whoever reads a reason.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if rawjson.Hidden(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// secrets judges what is handed to a server, or stands in an address, as it is or encoded.
func (j *judge) secrets(a Arg) {
	address := strings.EqualFold(a.Name, "url") || fetchers.MatchString(j.call.Tool)
	if !j.call.Server && !address {
		return
	}
	said := []string{a.Text}
	for _, b := range text.Blobs(a.Text) {
		said = append(said, b.Decoded)
	}
	for _, s := range said {
		if found := secret.Find(s); len(found) > 0 && address {
			j.say(Deny, "the call has a secret (%s) in an address", found[0].Rule)
		} else if len(found) > 0 {
			j.say(Deny, "the call hands a secret (%s) to a server", found[0].Rule)
		}
	}
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

// texts are names of members that hold what is written, looked for or said, and not what is opened or run.
var texts = strings.Fields("content new_string old_string new_source old_source query prompt description pattern body title subject message comment note notes summary markdown question answer reason text thought activeform")

// hostNames are names of members that hold a host.
var hostNames = strings.Fields("host hostname domain server")

// runners are parts of names of tools whose texts are run, whatever their members are called.
var runners = lazyregexp.New(`(?i)bash|shell|terminal|exec|command|powershell|^run_|_run$`)

// lookers are tools that show or send what is in a file and change nothing.
var lookers = lazyregexp.New(`(?i)^(?:read|grep|glob|ls|notebookread|webfetch|view|search)|(?:^|_)(?:read|get|list|search|view|fetch|load)_`)

// fetchers are tools that ask for an address that stands in whatever they are given: Gemini's web_fetch in its prompt.
var fetchers = lazyregexp.New(`(?i)^web_?(?:fetch|search)|fetch_?url|browse|navigate`)

// patched matches the files that a patch for Codex's apply_patch changes.
var patched = lazyregexp.New(`(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$`)

// patch judges a patch by the files that it changes; what it writes there is only said.
func (j *judge) patch(text string) {
	for _, m := range patched.FindAllStringSubmatch(text, -1) {
		j.path(strings.TrimSpace(m[1]+m[2]), opens)
	}
}

// arg judges a text by what the tool does with it: runs it, opens what it names, or only says it.
func (j *judge) arg(a Arg) {
	if strings.HasPrefix(strings.TrimSpace(a.Text), "*** Begin Patch\n") {
		j.patch(a.Text)
		return
	}
	if fetchers.MatchString(j.call.Tool) || strings.EqualFold(a.Name, "url") {
		j.metadata(a.Text)
	}
	name, runs := strings.ToLower(a.Name), runners.MatchString(j.call.Tool)
	if !runs && slices.Contains(texts, name) && !(j.call.Tool == "Glob" && name == "pattern") {
		if name == "prompt" && len(a.Text) <= longest && acts.Judge(acts.Text(a.Text)) == acts.Hostile {
			j.say(Deny, "the call has another agent act against the user")
		}
		return
	}
	if slices.Contains(hostNames, name) && strings.Contains(a.Text, ".") {
		j.policy.judgeHost(strings.ToLower(a.Text), j.say)
	}
	u := opens
	if lookers.MatchString(j.call.Tool) || name == "url" {
		u = reads
	}
	if !runs || !strings.ContainsAny(a.Text, " \t\n") {
		j.path(a.Text, u)
	}
	if runs || strings.ContainsAny(a.Text, " \t\n;|&`$") {
		j.script(a.Text, map[string]string{}, fate{}, 0)
	}
}

// acts judges what a script does to its user.
func (j *judge) acts(found []acts.Act) {
	d := Ask
	switch acts.Judge(found) {
	case acts.Fine:
		return
	case acts.Hostile:
		d = Deny
	}
	j.say(d, "the call %s", acts.Heaviest(found).Says)
}

// judgeHosts reads a text for addresses that the policy does not name.
func (p *Policy) judgeHosts(s string, say func(Decision, string, ...any)) {
	for rest := s; p.Hosts != nil; {
		at := strings.Index(rest, "://")
		if at < 0 {
			return
		}
		rest = rest[at+3:]
		host := rest
		if n := strings.IndexAny(host, "/?# \t\n\"'`()<>;|&,\\"); n >= 0 {
			host = host[:n]
		}
		host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
		host, _, _ = strings.Cut(host, ":")
		p.judgeHost(host, say)
	}
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
