package config

import "strings"

// A word is a word of a command line: the command, an argument, or part of a shell's script.
type word struct {
	text string
	at   Place
	from int // offset of text in the string at the place; -1 if it does not occur there literally
}

// A launch is what an entry finally starts, without wrapper programs.
type launch struct {
	program string // lower case, without folder and extension
	head    word
	args    []word
	env     []assignment // of the words before the program
}

// An assignment is a variable set anywhere in an entry.
type assignment struct {
	name, value string
	at          Place
	from        int // offset of value in the string at the place
}

// launched unwraps an entry's command: env, sudo, cmd /c, sh -c and the like. Of a shell script, the first simple command counts.
func launched(e *Entry) launch {
	return unwrap(e.words(), nil, 0)
}

func (e *Entry) words() []word {
	words := []word{{text: e.Command, at: e.CommandAt}}
	for _, a := range e.Args {
		words = append(words, word{text: a.Reveal(), at: a.Place})
	}
	return words
}

func unwrap(words []word, env []assignment, depth int) launch {
	if len(words) == 0 {
		return launch{}
	}
	l := launch{program: base(words[0].text), head: words[0], args: words[1:], env: env}
	if depth > 4 {
		return l
	}
	var inner []word
	if starters[l.program] {
		for inner = l.args; len(inner) > 0 && (strings.HasPrefix(inner[0].text, "-") || strings.Contains(inner[0].text, "=")); inner = inner[1:] {
			if name, value, ok := strings.Cut(inner[0].text, "="); ok && nameLength(name) == len(name) {
				env = append(env, assignment{name, value, inner[0].at, len(name) + 1})
			}
		}
	} else if script, ok := shellScript(l); ok {
		inner = firstCommand(script)
	}
	if len(inner) > 0 {
		return unwrap(inner, env, depth+1)
	}
	return l
}

// starters are programs that start another one, of which env, cross-env and sudo take variables for it.
var starters = options("env cross-env wsl doas sudo nice nohup exec time")

// shells are programs that run a script argument.
var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "ash": true, "ksh": true, "fish": true, "cmd": true, "powershell": true, "pwsh": true}

// shellScript returns the words of a shell's script: one string for sh, the rest of the line for cmd and PowerShell.
func shellScript(l launch) ([]word, bool) {
	if !shells[l.program] {
		return nil, false
	}
	for i, a := range l.args {
		low := strings.ToLower(a.text)
		switch l.program {
		case "cmd":
			if low == "/c" || low == "/k" || low == "/r" {
				return l.args[i+1:], i+1 < len(l.args)
			}
		case "powershell", "pwsh":
			if low == "-c" || low == "-command" || low == "/c" || strings.HasPrefix(low, "-e") && strings.HasPrefix("-encodedcommand", low) || low == "-ec" {
				return l.args[i+1:], i+1 < len(l.args)
			}
		default:
			if len(low) > 1 && low[0] == '-' && low[1] != '-' && strings.Contains(low, "c") {
				return l.args[i+1 : min(i+2, len(l.args))], i+1 < len(l.args)
			}
		}
		if !strings.HasPrefix(low, "-") && !strings.HasPrefix(low, "/") && l.program != "powershell" && l.program != "pwsh" {
			return nil, false // the name of a script
		}
	}
	return nil, false
}

// firstCommand returns the first simple command of a script. A single word is a line to be split; several are already split.
func firstCommand(script []word) []word {
	words := script
	if len(script) == 1 {
		words = nil
		from := 0
		for _, w := range Words(script[0].text, false) {
			at := strings.Index(script[0].text[from:], w)
			if at >= 0 {
				at += from
				from = at + len(w)
			}
			words = append(words, word{text: w, at: script[0].at, from: at})
		}
	}
	for i, w := range words {
		if w.text == "&&" || w.text == "||" || w.text == ";" || w.text == "|" || w.text == "&" {
			if i > 0 && words[0].text == "cd" {
				return firstCommand(words[i+1:])
			}
			return words[:i]
		}
		if strings.HasSuffix(w.text, ";") && len(w.text) > 1 {
			words[i].text = strings.TrimSuffix(w.text, ";")
			return words[:i+1]
		}
	}
	return words
}

// assignments returns all variables that an entry sets: in its environment, before its command and in container options.
func assignments(e *Entry) []assignment {
	var out []assignment
	for _, v := range e.Env {
		out = append(out, assignment{v.Name, v.Value.Reveal(), v.Value.Place, 0})
	}
	l := launched(e)
	out = append(out, l.env...)
	if !containers[l.program] {
		return out
	}
	for i, a := range l.args {
		text, from := a.text, 0
		switch {
		case strings.HasPrefix(text, "--env="):
			text, from = text[6:], 6
		case i > 0 && (l.args[i-1].text == "-e" || l.args[i-1].text == "--env"):
		case strings.HasPrefix(text, "-e") && strings.Contains(text, "="):
			text, from = text[2:], 2
		default:
			continue
		}
		if name, value, ok := strings.Cut(text, "="); ok {
			out = append(out, assignment{name, value, a.at, from + len(name) + 1})
		}
	}
	return out
}

var containers = map[string]bool{"docker": true, "podman": true, "nerdctl": true}
