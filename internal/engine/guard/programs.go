package guard

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/engine/acts"
	"gauntlet/internal/leaf/shell"
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
		reads: shell.Readers,
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
	seekers = strings.Fields("grep egrep fgrep rg ag ack sed awk gawk")
	logins  = strings.Fields("ssh scp sftp rsync git") // which send only where the user has an account
)

// keyOptions are options whose value is a file of credentials that the program logs in with, as it is meant to.
var keyOptions = strings.Fields("--kubeconfig --private-key --identity-file --key --cert --netrc-file")

// textOptions are options of git and forges whose value is a text.
var textOptions = strings.Fields("-m --message -b --body -t --title --grep -S -G")

// A judge judges one call.
type judge struct {
	policy  *Policy
	call    *Call
	say     func(Decision, string, ...any)
	masked  []byte // the script without what is only said
	dir     string // that the script has gone to
	links   int    // that were asked for
	scripts int    // that were read
}

// script judges what a shell would run, and whose output becomes into.
func (j *judge) script(s string, vars map[string]string, into fate, depth int) {
	if tooLong(s) || depth > shell.Deepest {
		j.say(Deny, "a part of the call is too deeply nested or too long to be judged")
		return
	}
	if depth == 0 {
		j.masked, j.dir = []byte(s), ""
	}
	commands := shell.Read(s, vars, depth)
	after := fates(commands, into)
	for i := range commands {
		c := &commands[i]
		j.command(c, after[i], vars, depth)
		for _, inner := range c.Nested {
			j.script(inner, vars, takenBy(c, after[i]), depth+1)
		}
	}
	if depth == 0 {
		j.acts(acts.Code(string(j.masked)))
	}
}

// mask hides a part of the script that is data.
func (j *judge) mask(w shell.Word, depth int) {
	for i := w.Start; depth == 0 && i < w.End && i < len(j.masked); i++ {
		if j.masked[i] != '\n' {
			j.masked[i] = ' '
		}
	}
}

func (j *judge) command(c *shell.Command, after fate, vars map[string]string, depth int) {
	words, fed := shell.Unwrap(c.Words)
	for _, r := range c.Reads {
		j.file(r.Text, reads)
	}
	written := len(c.Writes) > 0
	for _, w := range c.Writes {
		j.file(w.Text, names)
		j.settles(w.Text)
		written = written && !prose(w.Text)
	}
	j.variables(c)
	if len(words) == 0 {
		return
	}
	program := path.Base(strings.ToLower(words[0].Text))
	if program == "git" && len(words) > 1 && words[1].Text == "grep" { // which looks for a name as grep does
		program, words = "grep", words[1:]
	}
	if rest, ok := serves(program, words); ok {
		program, words = "http.server", rest
	}
	j.habitual(program, words[1:], after.sent)
	j.project(program, words[1:])
	j.network(program, words[1:])
	j.runsPackage(program, words[1:])
	_, sends := acts.Senders[program]
	switch fetches := program == "curl" || program == "wget"; {
	case after.run && fetches:
		for _, w := range words {
			if strings.Contains(w.Text, "://") {
				j.unseen(w.Text)
			}
		}
	case after.run && (sends || program == "rev" || program == "tr"):
		j.say(Ask, "the call runs what another program makes or gets, without looking at it")
	}
	if after.posted && (slices.Contains(shell.Packers, program) || program == "git" && len(words) > 1 && (words[1].Text == "bundle" || words[1].Text == "archive")) {
		j.say(Ask, "the call sends a whole folder away")
	}
	for _, w := range words {
		if after.sent && w.Secret != "" {
			j.say(Ask, "the call sends the variable %s away", w.Secret)
		}
	}
	if strings.Contains(words[0].Text, "/") {
		j.ran(words[0].Text)
	} else if (program == "." || program == "source") && len(words) > 1 {
		j.ran(words[1].Text)
	}
	u := programs[program]
	switch {
	case slices.Contains(shell.Shells, program) || slices.Contains(shell.Engines, program):
		j.interpreter(program, words[1:], c.Data, vars, after, depth)
		return
	case program == "apply_patch":
		for _, w := range append(words[1:], c.Data...) {
			j.patch(w.Text)
			j.mask(w, depth)
		}
		return
	case program == "eval":
		j.script(shell.Join(words[1:]), vars, after, depth+1)
		return
	case (program == "echo" || program == "printf") && after.run:
		j.script(shell.Unescaped(shell.Join(words[1:])), vars, fate{}, depth+1)
	case slices.Contains(shell.Listers, program) && after.handed:
		for _, name := range strings.Fields(shell.Join(words)) { // "$(ls a b)" is one word
			j.file(name, reads)
		}
		u = reads
	case program == "find" && !after.handed && !slices.ContainsFunc(words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Text, "-exec") || w.Text == "-delete" || w.Text == "-ok"
	}):
		u = names
	case program == "sed" && slices.ContainsFunc(words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Text, "-i") || strings.HasPrefix(w.Text, "--in-place")
	}):
		u = opens
	case program == "cd" || program == "pushd":
		if len(words) > 1 {
			j.dir = words[1].Text
		}
	}
	for _, d := range c.Data {
		if fed {
			j.file(strings.TrimSpace(d.Text), reads)
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

// takenBy returns what a command does with the output of scripts that it is given, whose own output becomes after.
func takenBy(c *shell.Command, after fate) fate {
	words, _ := shell.Unwrap(c.Words)
	if len(words) == 0 {
		return fate{}
	}
	program := path.Base(strings.ToLower(words[0].Text))
	if slices.Contains(shell.Listers, program) {
		return after
	}
	_, sends := acts.Senders[program]
	return fate{
		handed: programs[program] != names,
		run:    slices.Contains(shell.Shells, program) || recipes[program] != nil || slices.Contains([]string{"eval", ".", "source"}, program),
		sent:   sends,
	}
}

// fates returns what becomes of the output of each command, through the pipeline that it is in and then into what takes the script's.
func fates(commands []shell.Command, into fate) []fate {
	out := make([]fate, len(commands))
	for i := len(commands) - 1; i >= 0; i-- {
		if i+1 == len(commands) || !commands[i].Piped {
			out[i] = into
			continue
		}
		out[i] = out[i+1]
		if w, fed := shell.Unwrap(commands[i+1].Words); len(w) > 0 {
			base := path.Base(w[0].Text)
			shell := slices.Contains(shell.Shells, base) && len(w) == 1
			_, sends := acts.Senders[base]
			out[i].run = out[i].run || shell
			fed = fed && programs[base] != names // ls ~/.ssh | xargs -n 1 basename
			out[i].handed = out[i].handed || shell || fed || slices.Contains([]string{"parallel", "read", "cpio"}, base) || commands[i+1].Words[0].Text == "while"
			out[i].sent = out[i].sent || sends && !fed
			out[i].posted = out[i].posted || sends && !fed && !slices.Contains(logins, base)
		}
	}
	return out
}

// interpreter judges a shell or the like: its program, the files that it reads, and what it is fed.
func (j *judge) interpreter(program string, words, data []shell.Word, vars map[string]string, after fate, depth int) {
	isShell := slices.Contains(shell.Shells, program)
	inner := func(s string) {
		if isShell {
			j.script(s, vars, after, depth+1)
			return
		}
		for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`()<>;|&,=+", r) }) {
			j.file(w, reads)
		}
	}
	if isShell && len(words) > 0 && words[0].Text == "-n" { // which only reads what it would run
		return
	}
	given := false // its program: what follows are that one's operands
	for i := 0; i < len(words); i++ {
		w := words[i].Text
		if given {
			j.file(w, reads)
			continue
		}
		if option, value, inline := strings.Cut(w, "="); option == "--env-file" {
			if i++; inline {
				i--
			} else if i < len(words) {
				value = words[i].Text
			}
			j.environment(value)
			continue
		}
		if i+1 < len(words) && len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w[1:], "ceE") || w == "--eval" || w == "eval" && program == "deno" {
			if i++; i < len(words) {
				inner(words[i].Text)
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
		inner(d.Text)
	}
}

// operands judges what a program is given. What it only says is masked.
func (j *judge) operands(program string, words []shell.Word, u use, says bool, depth int) {
	var files []shell.Word
	pattern := slices.Contains(seekers, program)
	forge := slices.Contains([]string{"git", "gh", "glab", "hub"}, program)
	for i := 0; i < len(words); i++ {
		w := words[i]
		option, value, inline := strings.Cut(w.Text, "=")
		switch {
		case inline && slices.Contains(keyOptions, option):
		case option == "--env-file":
			if !inline && i+1 < len(words) {
				i++
				value = words[i].Text
			}
			j.environment(value)
		case slices.Contains(keyOptions, w.Text) || slices.Contains(shell.Copiers, program) && (w.Text == "-i" || w.Text == "-e") || program == "tar" && w.Text == "-C":
			i++
		case forge && inline && slices.Contains(textOptions, option):
			j.mask(w, depth)
		case forge && slices.Contains(textOptions, w.Text) && i+1 < len(words), forge && strings.HasSuffix(w.Text, "m") && len(w.Text) < 5 && w.Text[0] == '-' && i+1 < len(words):
			i++
			j.mask(words[i], depth)
		case pattern && (w.Text == "-e" || w.Text == "--regexp") && i+1 < len(words):
			i++
			j.mask(words[i], depth)
			pattern = false
		case program == "find" && slices.Contains(sought, w.Text) && i+1 < len(words):
			i++
			if u != names && credentialName(words[i].Text) && slices.ContainsFunc(files, func(f shell.Word) bool { return wholeHome(f.Text) }) {
				j.say(Deny, "the call looks in the user's home for files that hold credentials: %s", words[i].Text)
			}
		case strings.HasPrefix(w.Text, "-") && !inline:
			if strings.HasPrefix(w.Text, "-f") && len(w.Text) > 2 || strings.Contains(w.Text, "/") {
				files = append(files, w)
			}
		case inline && strings.HasPrefix(w.Text, "-"):
			files = append(files, shell.Word{Text: value, Start: w.Start, End: w.End})
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
		files = []shell.Word{{Text: "."}}
	}
	unpacks := program == "tar" && len(words) > 0 && strings.ContainsAny(strings.TrimLeft(words[0].Text, "-"), "xt") && !strings.HasPrefix(words[0].Text, "--")
	for i, w := range files {
		if slices.Contains(shell.Copiers, program) && len(files) > 1 && i == len(files)-1 { // where it goes
			j.settles(w.Text)
			continue
		}
		j.file(w.Text, u)
		if slices.Contains(shell.Packers, program) && !unpacks && (wholeHome(w.Text) || j.dir != "" && wholeHome(j.dir+"/"+w.Text)) {
			j.say(Deny, "the call hands over the user's home with all credentials: %s", w.Text)
		}
	}
}

// serves returns a program that hands a folder to whoever connects to it, with its operands: python -m http.server, npx serve.
func serves(program string, words []shell.Word) (rest []shell.Word, ok bool) {
	for i, w := range words {
		if i > 0 && (slices.Contains(shell.Engines, program) && (w.Text == "http.server" && words[i-1].Text == "-m" || w.Text == "-S" && program == "php") ||
			(program == "npx" || program == "bunx") && (w.Text == "serve" || w.Text == "http-server")) {
			rest = words[i:]
			ok = true
		}
	}
	return slices.DeleteFunc(slices.Clone(rest), func(w shell.Word) bool {
		return w.Text != "" && strings.Trim(w.Text, "0123456789.:") == "" && w.Text != "."
	}), ok
}

// environment judges a file of variables that a program starts with: .env is for that, other files of credentials are not.
func (j *judge) environment(file string) {
	if credentialFile(file) == Deny {
		j.file(file, reads)
	}
}

// variables judges what a command sets in the environment, for its own program or for those that follow.
func (j *judge) variables(c *shell.Command) {
	sets := slices.Clone(c.Sets)
	for _, w := range c.Words {
		sets = append(sets, w.Text)
	}
	kept := len(c.Words) == 0 || slices.Contains([]string{"export", "declare", "typeset", "env", "sudo", "go"}, c.Words[0].Text)
	for i, set := range sets {
		name, value, ok := strings.Cut(set, "=")
		if ok && shell.IsName(name) && (kept || i < len(c.Sets)) && name != "PATH" && startup.Runs(strings.ToUpper(name), value) {
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
	if j.call.Resolve != nil && p != "" && len(p) < shell.MaxValue && !strings.ContainsAny(p, "*?\n") && j.links < mostLinks {
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
