package guard

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/engine/acts"
	"gauntlet/internal/leaf/startup"
)

// A use is what a program does with a file that it is given.
type use uint8

const (
	opens use = iota // anything: whatever program is not known
	reads            // shows, copies or sends what is in it
	names            // neither shows nor changes what is in it
)

// programs are those that are known not to do anything with a file.
var programs = func() map[string]use {
	out := map[string]use{}
	for u, list := range map[use]string{
		reads: "cat tac nl less more head tail bat grep egrep fgrep rg ag ack sed awk gawk cut sort uniq wc diff cmp strings od xxd hexdump base64 base32 md5sum sha1sum sha256sum jq yq tar zip 7z gzip openssl find rclone git",
		names: "echo printf ls stat test [ [[ chmod chown chgrp mkdir cd pushd popd which type file du ssh ssh-keygen ssh-add ssh-copy-id source . export set unset read rmdir basename dirname realpath readlink for",
	} {
		for name := range strings.FieldsSeq(list) {
			out[name] = u
		}
	}
	return out
}()

// Programs of one kind.
var (
	wrappers = strings.Fields("sudo doas env nohup time exec command builtin nice timeout watch xargs parallel stdbuf caffeinate if then else elif do while until ! {")
	shells   = strings.Fields("sh bash zsh dash ksh fish ash")
	engines  = strings.Fields("python python2 python3 node deno bun perl ruby php osascript")
	copiers  = strings.Fields("cp mv rsync scp install ln rclone")
	packers  = strings.Fields("tar zip rsync rclone scp cp 7z http.server serve http-server")
	seekers  = strings.Fields("grep egrep fgrep rg ag ack sed awk gawk")
	logins   = strings.Fields("ssh scp sftp rsync git")           // which send only where the user has an account
	listers  = strings.Fields("echo printf ls readlink realpath") // which print the names that they are given
)

// keyOptions are options whose value is a file of credentials that the program logs in with, as it is meant to.
var keyOptions = strings.Fields("--kubeconfig --private-key --identity-file --key --cert --netrc-file")

// textOptions are options of git and forges whose value is a text.
var textOptions = strings.Fields("-m --message -b --body -t --title --grep -S -G")

// deepest is how many scripts within scripts are read.
const deepest = 8

// A judge judges one call.
type judge struct {
	policy  *Policy
	call    *Call
	say     func(Decision, string, ...any)
	masked  []byte // the script without what is only said
	dir     string // that the script has gone to
	links   int    // that were asked for
	scripts int    // that were read

	fetched []downloaded
}

// script judges what a shell would run, and whose output becomes into.
func (j *judge) script(s string, vars map[string]string, into fate, depth int) {
	if tooLong(s) || depth > deepest {
		j.say(Deny, "a part of the call is too deeply nested or too long to be judged")
		return
	}
	if depth == 0 {
		j.masked, j.dir = []byte(s), ""
	}
	commands := readScript(s, vars, depth)
	after := fates(commands, into)
	for i := range commands {
		c := &commands[i]
		j.command(c, after[i], vars, depth)
		for _, inner := range c.nested {
			j.script(inner, vars, c.takes(after[i]), depth+1)
		}
	}
	if depth == 0 {
		j.acts(acts.Code(string(j.masked)))
	}
}

// mask hides a part of the script that is data.
func (j *judge) mask(w word, depth int) {
	for i := w.start; depth == 0 && i < w.end && i < len(j.masked); i++ {
		if j.masked[i] != '\n' {
			j.masked[i] = ' '
		}
	}
}

// command judges a simple command.
func (j *judge) command(c *command, after fate, vars map[string]string, depth int) {
	words, fed := unwrap(c.words)
	for _, r := range c.reads {
		j.file(r.text, reads)
	}
	written := len(c.writes) > 0
	for _, w := range c.writes {
		j.file(w.text, names)
		j.settles(w.text)
		written = written && !prose(w.text)
	}
	j.variables(c)
	if len(words) == 0 {
		return
	}
	program := path.Base(strings.ToLower(words[0].text))
	if program == "git" && len(words) > 1 && words[1].text == "grep" { // which looks for a name as grep does
		program, words = "grep", words[1:]
	}
	if rest, ok := serves(program, words); ok {
		program, words = "http.server", rest
	}
	j.habitual(program, words[1:], after.sent)
	j.project(program, words[1:])
	j.network(program, words[1:])
	j.downloads(program, words[1:], c.writes)
	j.runsPackage(program, words[1:])
	_, sends := senders[program]
	switch fetches := program == "curl" || program == "wget"; {
	case after.run && fetches:
		for _, w := range words {
			if strings.Contains(w.text, "://") {
				j.unseen(w.text)
			}
		}
	case after.run && (sends || program == "rev" || program == "tr"):
		j.say(Ask, "the call runs what another program makes or gets, without looking at it")
	}
	if after.posted && (slices.Contains(packers, program) || program == "git" && len(words) > 1 && (words[1].text == "bundle" || words[1].text == "archive")) {
		j.say(Ask, "the call sends a whole folder away")
	}
	for _, w := range words {
		if after.sent && w.secret != "" {
			j.say(Ask, "the call sends the variable %s away", w.secret)
		}
	}
	if strings.Contains(words[0].text, "/") {
		j.ran(words[0].text)
	} else if (program == "." || program == "source") && len(words) > 1 {
		j.ran(words[1].text)
	}
	u := programs[program]
	switch {
	case slices.Contains(shells, program) || slices.Contains(engines, program):
		j.interpreter(program, words[1:], c.data, vars, after, depth)
		return
	case program == "apply_patch":
		for _, w := range append(words[1:], c.data...) {
			j.patch(w.text)
			j.mask(w, depth)
		}
		return
	case program == "eval":
		j.script(join(words[1:]), vars, after, depth+1)
		return
	case (program == "echo" || program == "printf") && after.run:
		j.script(unescaped(join(words[1:])), vars, fate{}, depth+1)
	case slices.Contains(listers, program) && after.handed:
		for _, name := range strings.Fields(join(words)) { // "$(ls a b)" is one word
			j.file(name, reads)
		}
		u = reads
	case program == "find" && !after.handed && !slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(w.text, "-exec") || w.text == "-delete" || w.text == "-ok" }):
		u = names
	case program == "sed" && slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(w.text, "-i") || strings.HasPrefix(w.text, "--in-place") }):
		u = opens
	case program == "cd" || program == "pushd":
		if len(words) > 1 {
			j.dir = words[1].text
		}
	}
	for _, d := range c.data {
		if fed {
			j.file(strings.TrimSpace(d.text), reads)
		}
		if !written {
			j.mask(d, depth)
		}
	}
	j.operands(program, words[1:], u, !written && !after.run, depth)
}

// A fate is what becomes of a command's output.
type fate struct {
	handed bool // names that a program opens
	run    bool // a script that a shell runs
	sent   bool // to somebody outside
	posted bool // to somebody who needs no login
}

// unwrap returns a command without the programs that only start it, and whether xargs feeds it.
func unwrap(words []word) (rest []word, fed bool) {
	for len(words) > 0 && slices.Contains(wrappers, words[0].text) {
		fed = fed || words[0].text == "xargs"
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0].text, "-") || strings.Contains(words[0].text, "=") || strings.Trim(words[0].text, "0123456789smh.") == "") {
			words = words[1:]
		}
	}
	return words, fed
}

// takes returns what a command does with the output of scripts that it is given, whose own output becomes after.
func (c *command) takes(after fate) fate {
	words, _ := unwrap(c.words)
	if len(words) == 0 {
		return fate{}
	}
	program := path.Base(strings.ToLower(words[0].text))
	if slices.Contains(listers, program) {
		return after
	}
	_, sends := senders[program]
	return fate{
		handed: programs[program] != names,
		run:    slices.Contains(shells, program) || recipes[program] != nil || slices.Contains([]string{"eval", ".", "source"}, program),
		sent:   sends,
	}
}

// fates returns what becomes of the output of each command, through the pipeline that it is in and then into what takes the script's.
func fates(commands []command, into fate) []fate {
	out := make([]fate, len(commands))
	for i := len(commands) - 1; i >= 0; i-- {
		if i+1 == len(commands) || !commands[i].piped {
			out[i] = into
			continue
		}
		out[i] = out[i+1]
		if w, fed := unwrap(commands[i+1].words); len(w) > 0 {
			base := path.Base(w[0].text)
			shell := slices.Contains(shells, base) && len(w) == 1
			_, sends := senders[base]
			out[i].run = out[i].run || shell
			fed = fed && programs[base] != names // ls ~/.ssh | xargs -n 1 basename
			out[i].handed = out[i].handed || shell || fed || slices.Contains([]string{"parallel", "read", "cpio"}, base) || commands[i+1].words[0].text == "while"
			out[i].sent = out[i].sent || sends && !fed
			out[i].posted = out[i].posted || sends && !fed && !slices.Contains(logins, base)
		}
	}
	return out
}

func join(words []word) string {
	var out []string
	for _, w := range words {
		out = append(out, w.text)
	}
	return strings.Join(out, " ")
}

// interpreter judges a shell or the like: its program, the files that it reads, and what it is fed.
func (j *judge) interpreter(program string, words, data []word, vars map[string]string, after fate, depth int) {
	isShell := slices.Contains(shells, program)
	inner := func(s string) {
		if isShell {
			j.script(s, vars, after, depth+1)
			return
		}
		for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`()<>;|&,=+", r) }) {
			j.file(w, reads)
		}
	}
	if isShell && len(words) > 0 && words[0].text == "-n" { // which only reads what it would run
		return
	}
	given := false // its program: what follows are that one's operands
	for i := 0; i < len(words); i++ {
		w := words[i].text
		if given {
			j.file(w, reads)
			continue
		}
		if option, value, inline := strings.Cut(w, "="); option == "--env-file" {
			if i++; inline {
				i--
			} else if i < len(words) {
				value = words[i].text
			}
			j.environment(value)
			continue
		}
		if i+1 < len(words) && len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w[1:], "ceE") || w == "--eval" || w == "eval" && program == "deno" {
			if i++; i < len(words) {
				inner(words[i].text)
			}
			given = true
			continue
		}
		if !strings.HasPrefix(w, "-") {
			j.ran(w)
			given = true
		}
		j.file(w, reads)
	}
	for _, d := range data {
		inner(d.text)
	}
}

// operands judges what a program is given. What it only says is masked.
func (j *judge) operands(program string, words []word, u use, says bool, depth int) {
	var files []word
	pattern := slices.Contains(seekers, program)
	forge := slices.Contains([]string{"git", "gh", "glab", "hub"}, program)
	for i := 0; i < len(words); i++ {
		w := words[i]
		option, value, inline := strings.Cut(w.text, "=")
		switch {
		case inline && slices.Contains(keyOptions, option):
		case option == "--env-file":
			if !inline && i+1 < len(words) {
				i++
				value = words[i].text
			}
			j.environment(value)
		case slices.Contains(keyOptions, w.text) || slices.Contains(copiers, program) && (w.text == "-i" || w.text == "-e") || program == "tar" && w.text == "-C":
			i++
		case forge && inline && slices.Contains(textOptions, option):
			j.mask(w, depth)
		case forge && slices.Contains(textOptions, w.text) && i+1 < len(words), forge && strings.HasSuffix(w.text, "m") && len(w.text) < 5 && w.text[0] == '-' && i+1 < len(words):
			i++
			j.mask(words[i], depth)
		case pattern && (w.text == "-e" || w.text == "--regexp") && i+1 < len(words):
			i++
			j.mask(words[i], depth)
			pattern = false
		case program == "find" && slices.Contains(sought, w.text) && i+1 < len(words):
			i++
			if u != names && credentialName(words[i].text) && slices.ContainsFunc(files, func(f word) bool { return wholeHome(f.text) }) {
				j.say(Deny, "the call looks in the user's home for files that hold credentials: %s", words[i].text)
			}
		case strings.HasPrefix(w.text, "-") && !inline:
			if strings.HasPrefix(w.text, "-f") && len(w.text) > 2 || strings.Contains(w.text, "/") {
				files = append(files, w)
			}
		case inline && strings.HasPrefix(w.text, "-"):
			files = append(files, word{text: value, start: w.start, end: w.end})
		case pattern:
			pattern = false
			j.mask(w, depth)
		default:
			files = append(files, w)
		}
	}
	if (program == "echo" || program == "printf") && says {
		for _, w := range files {
			j.mask(w, depth)
		}
	}
	if program == "http.server" && len(files) == 0 {
		files = []word{{text: "."}}
	}
	unpacks := program == "tar" && len(words) > 0 && strings.ContainsAny(strings.TrimLeft(words[0].text, "-"), "xt") && !strings.HasPrefix(words[0].text, "--")
	for i, w := range files {
		if slices.Contains(copiers, program) && len(files) > 1 && i == len(files)-1 { // where it goes
			j.settles(w.text)
			continue
		}
		j.file(w.text, u)
		if slices.Contains(packers, program) && !unpacks && (wholeHome(w.text) || j.dir != "" && wholeHome(j.dir+"/"+w.text)) {
			j.say(Deny, "the call hands over the user's home with all credentials: %s", w.text)
		}
	}
}

// serves returns a program that hands a folder to whoever connects to it, with its operands: python -m http.server, npx serve.
func serves(program string, words []word) (rest []word, ok bool) {
	for i, w := range words {
		if i > 0 && (slices.Contains(engines, program) && (w.text == "http.server" && words[i-1].text == "-m" || w.text == "-S" && program == "php") ||
			(program == "npx" || program == "bunx") && (w.text == "serve" || w.text == "http-server")) {
			rest = words[i:]
			ok = true
		}
	}
	return slices.DeleteFunc(slices.Clone(rest), func(w word) bool { return w.text != "" && strings.Trim(w.text, "0123456789.:") == "" && w.text != "." }), ok
}

// environment judges a file of variables that a program starts with: .env is for that, other files of credentials are not.
func (j *judge) environment(file string) {
	if credentialFile(file) == Deny {
		j.file(file, reads)
	}
}

// variables judges what a command sets in the environment, for its own program or for those that follow.
func (j *judge) variables(c *command) {
	sets := slices.Clone(c.sets)
	for _, w := range c.words {
		sets = append(sets, w.text)
	}
	kept := len(c.words) == 0 || slices.Contains([]string{"export", "declare", "typeset", "env", "sudo", "go"}, c.words[0].text)
	for i, set := range sets {
		name, value, ok := strings.Cut(set, "=")
		if ok && variableName(name) && (kept || i < len(c.sets)) && name != "PATH" && startup.Runs(strings.ToUpper(name), value) {
			j.say(Ask, "the call has the programs that follow run additional code: %s", name)
		}
	}
}

// sought are options of find before the name of a file.
var sought = []string{"-name", "-iname", "-path", "-ipath", "-wholename"}

// wholeHome reports whether a path is the user's home, or holds it.
func wholeHome(p string) bool {
	return slices.Contains([]string{"~", "/", "/home", "/users"}, plainPath(p))
}

// file judges a word that names a file, or more than one: "f=@x", "/a:/b", {a,b}.
func (j *judge) file(w string, u use) {
	for _, one := range alternatives(w) {
		pieces := []string{one}
		if !strings.Contains(one, "://") {
			pieces = append(pieces, strings.FieldsFunc(one, func(r rune) bool { return r == '=' || r == '@' || r == ':' })...)
		}
		for _, p := range pieces {
			j.path(p, u)
		}
	}
}

// path judges one path, and what it leads to by links.
func (j *judge) path(p string, u use) {
	spelled := []string{p}
	if j.dir != "" && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~") {
		spelled = append(spelled, j.dir+"/"+p)
	}
	const mostLinks = 200
	if j.call.Resolve != nil && p != "" && len(p) < maxValue && !strings.ContainsAny(p, "*?\n") && j.links < mostLinks {
		j.links++
		if real := j.call.Resolve(p); real != "" {
			spelled = append(spelled, real)
		}
	}
	for _, s := range spelled {
		if d := credentialFile(s); d != Pass && u != names {
			if j.policy.Credentials != "" {
				d = j.policy.Credentials
			}
			j.say(d, "the call names a file that holds credentials: %s", p)
		}
		if u == opens {
			j.settles(s)
		}
	}
}

// settles judges a path that is written.
func (j *judge) settles(p string) {
	if what := startup.What("/" + strings.TrimPrefix(strings.TrimPrefix(p, "~/"), "/")); what != "" {
		d := j.policy.Startup
		if d == "" {
			d = Ask
		}
		j.say(d, "the call names a file %s: %s", what, p)
	}
}

// alternatives expands {a,b} in a word.
func alternatives(w string) []string {
	const most = 32
	out := []string{w}
	for i := 0; i < len(out) && len(out) < most; i++ {
		open := strings.IndexByte(out[i], '{')
		if open < 0 {
			continue
		}
		shut := strings.IndexByte(out[i][open:], '}')
		if shut < 0 || !strings.Contains(out[i][open:open+shut], ",") {
			continue
		}
		for part := range strings.SplitSeq(out[i][open+1:open+shut], ",") {
			out = append(out, out[i][:open]+part+out[i][open+shut+1:])
		}
	}
	return out
}

// prose reports whether a file is one that people read and no program runs.
func prose(name string) bool {
	return slices.Contains([]string{".md", ".txt", ".rst", ".adoc", ".html"}, path.Ext(strings.ToLower(name)))
}
