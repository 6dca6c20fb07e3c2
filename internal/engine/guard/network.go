package guard

import (
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/engine/acts"
	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/secret"
	"gauntlet/internal/leaf/shell"
	"gauntlet/rawjson"
)

// aside are long options whose value is no host; those of the second list are one.
var (
	aside  = strings.Fields("--output --data --data-raw --data-binary --data-urlencode --json --header --form --user --user-agent --request --referer --cookie --cookie-jar --upload-file --max-time --connect-timeout --retry --cert --key --cacert --config --write-out --output-document --post-data --post-file --directory-prefix --rsh --exclude --include --branch --depth --origin --message")
	hosted = strings.Fields("-x --proxy --url --resolve --connect-to -connect --preproxy --socks5 --socks5-hostname -J")
)

// remotely are git's subcommands that connect to somebody.
var remotely = strings.Fields("clone fetch pull push remote submodule ls-remote")

// network judges a program that connects to somebody: whom, and with what.
func (j *judge) network(program string, words []shell.Word) {
	p, ok := acts.Senders[program]
	if !ok && program != "openssl" || program == "git" && len(words) > 0 && !slices.Contains(remotely, words[0].Text) {
		return
	}
	known := true
	for i, w := range words {
		j.metadata(w.Text)
		before := ""
		if i > 0 {
			before = words[i-1].Text
		}
		option := strings.HasPrefix(w.Text, "-")
		if at := strings.Index(w.Text, "://"); at >= 0 {
			known = known && acts.Known(w.Text)
		} else if slices.Contains(hosted, before) || ok && !option && !takes(before, p.Valued) {
			known = j.hosts(w.Text, p.Colon, program == "socat" || slices.Contains(hosted, before)) && known
		}
	}
	if known {
		return
	}
	for i, w := range words {
		if i > 0 && (words[i-1].Text == "-H" || words[i-1].Text == "--header") {
			continue // "Authorization: Bearer $API_KEY": whose it is
		}
		if found := secret.Find(w.Text); len(found) > 0 {
			j.say(Ask, "the call sends a secret (%s) to a host that is not well known", found[0].Rule)
		}
		if w.Secret != "" {
			j.say(Ask, "the call sends the variable %s to a host that is not well known", w.Secret)
		}
	}
}

// metadata judges an address of a cloud's metadata service, which hands the machine's own credentials to whoever asks.
func (j *judge) metadata(text string) {
	for _, host := range []string{"169.254.169.254", "metadata.google.internal", "100.100.100.200", "[fd00:ec2::254]"} {
		if strings.Contains(text, host) {
			j.say(Ask, "the call asks the cloud's metadata service, which keeps credentials")
		}
	}
}

// takes reports whether an option takes the next word as its value.
func takes(option, valued string) bool {
	switch {
	case len(option) < 2 || option[0] != '-':
		return false
	case option[1] == '-':
		return slices.Contains(aside, option)
	}
	return strings.IndexByte(valued, option[len(option)-1]) >= 0
}

// hosts judges the host that an operand names and reports whether it is well known, or nobody outside. In some operands every part
// may be one: curl --resolve name:443:address.
func (j *judge) hosts(operand string, colon, any bool) bool {
	known := true
	name := operand
	if !any {
		var before bool
		if name, _, before = strings.Cut(operand, ":"); colon && !before || strings.HasPrefix(operand, "/") {
			return true
		}
		name, _, _ = strings.Cut(name, "/")
	}
	for part := range strings.FieldsFuncSeq(name[strings.LastIndexByte(name, '@')+1:], func(r rune) bool { return any && strings.ContainsRune(":,/", r) }) {
		switch part = strings.ToLower(part); {
		case part == "*" && j.policy.Hosts != nil:
			j.say(Ask, "the call goes to a host that cannot be told beforehand")
		case !strings.Contains(part, ".") || hostscope.Of(part) != hostscope.Public:
		default:
			j.policy.judgeHost(part, j.say)
			known = known && acts.Known("://"+part)
		}
	}
	return known
}

func (p *Policy) judgeHost(host string, say func(Decision, string, ...any)) {
	if p.Hosts != nil && hostscope.Of(host) == hostscope.Public && !slices.ContainsFunc(p.Hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) }) {
		say(Deny, "the policy does not name the host %s", host)
	}
}

// ran judges a file that is run, by what it does.
func (j *judge) ran(file string) {
	text, whole := j.read(file)
	j.program(file, text, whole)
}

// read reads a file that is run, "" for none.
func (j *judge) read(file string) (text string, whole bool) {
	const mostScripts = 20
	if j.call.Read == nil {
		return "", true
	}
	if j.scripts++; j.scripts > mostScripts {
		j.say(Ask, "the call runs more scripts than are read")
		return "", true
	}
	if j.dir != "" && !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "~") {
		file = j.dir + "/" + file
	}
	return j.call.Read(file)
}

// recipes are programs that run what a file of the folder says, with its names.
var recipes = map[string][]string{"make": {"Makefile", "makefile", "GNUmakefile"}, "just": {"justfile", "Justfile", ".justfile"}, "rake": {"Rakefile"}, "task": {"Taskfile.yml"}}

// dryRuns are options with which recipes are only shown; evaluated matches what make runs all the same.
var (
	dryRuns   = map[string][]string{"make": {"-n", "--dry-run", "--just-print", "--recon"}, "just": {"-n", "--dry-run", "-l", "--list", "--summary", "--dump"}, "rake": {"-n", "--dry-run", "-T", "--tasks"}, "task": {"-n", "--dry", "-l", "--list"}}
	evaluated = lazyregexp.New(`(?m)^.*(?:\$\(shell|!=).*$|^\t\+.*$`)
)

// project judges a program that runs what the folder's own files say.
func (j *judge) project(program string, words []shell.Word) {
	dry := slices.ContainsFunc(words, func(w shell.Word) bool { return slices.Contains(dryRuns[program], w.Text) })
	for _, file := range recipes[program] {
		if !dry {
			j.ran(file)
			continue
		}
		text, whole := j.read(file)
		j.program(file, strings.Join(evaluated.FindAllString(text, -1), "\n"), whole)
	}
	if !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, program) {
		return
	}
	for _, w := range words {
		switch name := w.Text; {
		case strings.HasPrefix(name, "-") || name == "run" || name == "run-script":
			continue
		case slices.Contains([]string{"i", "install", "ci", "add"}, name):
			j.packageScript("install", "prepare")
		default:
			j.packageScript(name)
		}
		return
	}
	if program == "yarn" { // which installs without being told to
		j.packageScript("install", "prepare")
	}
}

// packageScript judges scripts of the folder's package.json, with what runs before and behind them.
func (j *judge) packageScript(names ...string) {
	text, whole := j.read("package.json")
	var tree rawjson.Tree
	if text == "" || tree.Parse(text, 0) != nil {
		return // nor can a package manager
	}
	var out []string
	for _, name := range names {
		for _, part := range []string{"pre" + name, name, "post" + name} {
			out = append(out, tree.Root().Get("scripts").Get(part).Text())
		}
	}
	j.program("package.json", strings.Join(out, "\n"), whole)
}

func (j *judge) program(file, text string, whole bool) {
	if !whole || tooLong(text) {
		j.say(Ask, "the call runs a script that is too long to be judged: %s", file)
	} else if found := acts.Code(text); acts.Judge(found) == acts.Hostile {
		j.acts(found)
	}
}

func (j *judge) unseen(address string) { j.acts(acts.Code("curl " + address + " | sh")) }

// packageRunners run a package or program that they download, at an address that they are given.
var packageRunners = strings.Fields("npx bunx uvx pipx npm pnpm yarn bun deno uv pip pip3 go")

// runsPackage judges a program that runs or installs what an address holds.
func (j *judge) runsPackage(program string, words []shell.Word) {
	if !slices.Contains(packageRunners, program) {
		return
	}
	for i, w := range words {
		if i > 0 && (strings.Contains(words[i-1].Text, "registry") || strings.Contains(words[i-1].Text, "index")) || strings.HasPrefix(w.Text, "-") {
			continue // where packages come from has its own rule
		}
		if _, address, ok := strings.Cut(w.Text, "://"); ok {
			j.unseen("https://" + address)
		}
	}
}

// A habit is what a command does by its subcommands: all of the words stand in it, in this order. * ends one of which the rest may be
// anything.
type habit struct {
	says     string
	commands string // separated by semicolons
}

var habits = []habit{
	{"prints a secret that a program keeps", acts.Printers},
	{"sets up what runs again by itself", `crontab; systemctl enable; launchctl load; launchctl bootstrap; schtasks /create; at; batch; git config core.hookspath; git config core.sshcommand; git config core.fsmonitor; git config credential.helper; git -c core.hookspath=*; git -c core.sshcommand=*; git -c core.fsmonitor=*; git -c credential.helper=*`},
}

// habitual judges a command by its subcommands. What it prints is handed over if it goes on to a sender.
func (j *judge) habitual(program string, words []shell.Word, sent bool) {
	for _, h := range habitsOf()[program] {
		if !inOrder(h.then, words) || slices.ContainsFunc(words, func(w shell.Word) bool { return slices.Contains(silent[program], w.Text) }) {
			continue
		}
		d := Ask
		if sent && h.prints {
			d = Deny
		}
		j.say(d, "the call %s: %s %s", h.says, program, strings.Join(h.then, " "))
	}
}

// silent are words with which a program does not do what it does otherwise.
var silent = map[string][]string{"git": {"--get", "--get-all", "--unset", "--unset-all"}, "crontab": {"-l", "-r"}, "kubectl": {"name", "-o=name", "--output=name", "wide", "-o=wide"}}

// A subcommand is one command of a habit.
type subcommand struct {
	then   []string // the words behind the program
	says   string
	prints bool // a secret
}

// habitsOf returns the habits by program.
var habitsOf = sync.OnceValue(func() map[string][]subcommand {
	out := map[string][]subcommand{}
	for i, h := range habits {
		for command := range strings.SplitSeq(h.commands, ";") {
			fields := strings.Fields(command)
			out[fields[0]] = append(out[fields[0]], subcommand{fields[1:], h.says, i == 0})
		}
	}
	return out
})

// inOrder reports whether words wanted stand among the first of others, in their order.
func inOrder(want []string, words []shell.Word) bool {
	const first = 8
	for _, w := range words[:min(first, len(words))] {
		if len(want) == 0 {
			break
		}
		if prefix, any := strings.CutSuffix(want[0], "*"); strings.EqualFold(w.Text, want[0]) || any && strings.HasPrefix(strings.ToLower(w.Text), prefix) {
			want = want[1:]
		}
	}
	return len(want) == 0
}
