package guard

import (
	"path"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/engine/acts"
	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/secret"
	"gauntlet/rawjson"
)

// senders are programs that connect to a host that they are given, with their one-letter options that take a value. Of those
// whose operands are files as well, a host is what stands before a colon.
var senders = map[string]struct {
	valued string
	colon  bool
}{
	"curl": {valued: "AbCcDdEeFHhKmoPQrTtUuwXYyZz"}, "wget": {valued: "aBDeIiloOPQRTtUwX"}, "http": {}, "https": {}, "xh": {}, "aria2c": {valued: "doijx"},
	"nc": {valued: "iIMmOPpqsTVWwXx"}, "ncat": {valued: "cdegGimopsw"}, "netcat": {valued: "iIMmOPpqsTVWwXx"}, "telnet": {valued: "bel"}, "socat": {valued: "bTtl"},
	"ssh": {valued: "BbcDEeFIiJLlmOoPpQRSWw"}, "sftp": {valued: "BbcDFiJloPRSs"}, "ping": {valued: "cIilMmpQSsTtWw"}, "dig": {valued: "bcfkpqtxy"}, "nslookup": {}, "host": {valued: "cNRtWm"},
	"scp": {valued: "cFiJloPS", colon: true}, "rsync": {valued: "eBfMT", colon: true}, "git": {valued: "Ccbmou", colon: true},
}

// aside are long options whose value is no host; those of the second list are one.
var (
	aside  = strings.Fields("--output --data --data-raw --data-binary --data-urlencode --json --header --form --user --user-agent --request --referer --cookie --cookie-jar --upload-file --max-time --connect-timeout --retry --cert --key --cacert --config --write-out --output-document --post-data --post-file --directory-prefix --rsh --exclude --include --branch --depth --origin --message")
	hosted = strings.Fields("-x --proxy --url --resolve --connect-to -connect --preproxy --socks5 --socks5-hostname -J")
)

// remotely are git's subcommands that connect to somebody.
var remotely = strings.Fields("clone fetch pull push remote submodule ls-remote")

// network judges a program that connects to somebody: whom, and with what.
func (j *judge) network(program string, words []word) {
	p, ok := senders[program]
	if !ok && program != "openssl" || program == "git" && len(words) > 0 && !slices.Contains(remotely, words[0].text) {
		return
	}
	known := true
	for i, w := range words {
		j.metadata(w.text)
		before := ""
		if i > 0 {
			before = words[i-1].text
		}
		option := strings.HasPrefix(w.text, "-")
		if at := strings.Index(w.text, "://"); at >= 0 {
			known = known && acts.Known(w.text)
		} else if slices.Contains(hosted, before) || ok && !option && !takes(before, p.valued) {
			known = j.hosts(w.text, p.colon, program == "socat" || slices.Contains(hosted, before)) && known
		}
	}
	if known {
		return
	}
	for i, w := range words {
		if i > 0 && (words[i-1].text == "-H" || words[i-1].text == "--header") {
			continue // "Authorization: Bearer $API_KEY": whose it is
		}
		if found := secret.Find(w.text); len(found) > 0 {
			j.say(Ask, "the call sends a secret (%s) to a host that is not well known", found[0].Rule)
		}
		if w.secret != "" {
			j.say(Ask, "the call sends the variable %s to a host that is not well known", w.secret)
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

// judgeHost judges one host by the policy.
func (p *Policy) judgeHost(host string, say func(Decision, string, ...any)) {
	if p.Hosts != nil && hostscope.Of(host) == hostscope.Public && !slices.ContainsFunc(p.Hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) }) {
		say(Deny, "the policy does not name the host %s", host)
	}
}

// secretVariable matches the names of variables that hold secrets.
var secretVariable = lazyregexp.New(`(?i)(?:^|_)(?:token|secret|passwords?|passwd|api_?key|access_?key|private_?key|credentials?|pat)(?:_|$)`)

func secretName(variable string) bool {
	return len(variable) < 80 && secretVariable.MatchString(variable)
}

// A downloaded file, and where it comes from.
type downloaded struct{ file, from string }

// mostDownloads bounds the files of one script that are remembered.
const mostDownloads = 50

// downloads remembers what a command writes of what it downloads.
func (j *judge) downloads(program string, words []word, writes []word) {
	if program != "curl" && program != "wget" {
		return
	}
	if len(j.fetched) == mostDownloads {
		j.say(Ask, "the call downloads more files than are followed")
		return
	}
	from, file := "", ""
	for i, w := range words {
		option, value, _ := strings.Cut(w.text, "=")
		switch next := i + 1; {
		case strings.Contains(w.text, "://") || from == "" && !strings.HasPrefix(w.text, "-") && strings.Contains(w.text, ".") && file != w.text:
			from = w.text
		case (w.text == "-o" || w.text == "--output" || program == "wget" && (w.text == "-O" || option == "--output-document" && value == "")) && next < len(words):
			file = words[next].text
		case option == "--output" || option == "--output-document":
			file = value
		}
	}
	if file == "" && (program == "wget" || slices.ContainsFunc(words, func(w word) bool {
		return w.text == "--remote-name" || strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "O")
	})) {
		file = path.Base(from)
	}
	if len(writes) > 0 {
		file = writes[0].text
	}
	if from != "" && file != "" {
		j.fetched = append(j.fetched, downloaded{file, from})
	}
}

// ran judges a file that is run: one that this script downloaded is run unseen, and any other by what it does.
func (j *judge) ran(file string) {
	for _, d := range j.fetched {
		if path.Clean(d.file) == path.Clean(file) {
			j.unseen(d.from)
		}
	}
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
func (j *judge) project(program string, words []word) {
	dry := slices.ContainsFunc(words, func(w word) bool { return slices.Contains(dryRuns[program], w.text) })
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
		switch name := w.text; {
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

// program judges a program that is run.
func (j *judge) program(file, text string, whole bool) {
	if !whole || tooLong(text) {
		j.say(Ask, "the call runs a script that is too long to be judged: %s", file)
	} else if found := acts.Code(text); acts.Judge(found) == acts.Hostile {
		j.acts(found)
	}
}

// unseen judges that what an address holds is run unseen.
func (j *judge) unseen(address string) { j.acts(acts.Code("curl " + address + " | sh")) }

// packageRunners run a package or program that they download, at an address that they are given.
var packageRunners = strings.Fields("npx bunx uvx pipx npm pnpm yarn bun deno uv pip pip3 go")

// runsPackage judges a program that runs or installs what an address holds.
func (j *judge) runsPackage(program string, words []word) {
	if !slices.Contains(packageRunners, program) {
		return
	}
	for i, w := range words {
		if i > 0 && (strings.Contains(words[i-1].text, "registry") || strings.Contains(words[i-1].text, "index")) || strings.HasPrefix(w.text, "-") {
			continue // where packages come from has its own rule
		}
		if _, address, ok := strings.Cut(w.text, "://"); ok {
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
func (j *judge) habitual(program string, words []word, sent bool) {
	for _, h := range habitsOf()[program] {
		if !inOrder(h.then, words) || slices.ContainsFunc(words, func(w word) bool { return slices.Contains(silent[program], w.text) }) {
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
func inOrder(want []string, words []word) bool {
	const first = 8
	for _, w := range words[:min(first, len(words))] {
		if len(want) == 0 {
			break
		}
		if prefix, any := strings.CutSuffix(want[0], "*"); strings.EqualFold(w.text, want[0]) || any && strings.HasPrefix(strings.ToLower(w.text), prefix) {
			want = want[1:]
		}
	}
	return len(want) == 0
}
