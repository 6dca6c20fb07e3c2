// Package agent starts the agent under test: a user's command that finds its servers in an mcp.json, and its task in its arguments
// or environment. How it ended is distinguished, since an agent that hung has resisted nothing.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/planted"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// DefaultLimit bounds an agent's run.
const DefaultLimit = 2 * time.Minute

// Variables through which an agent finds its input, and placeholders for the same in its command.
const (
	EnvConfig = "GAUNTLET_CONFIG" // the path of mcp.json
	EnvPrompt = "GAUNTLET_PROMPT" // the user's text
	EnvAgents = "GAUNTLET_A2A"    // A2A agents: NAME=URL, one per line
	EnvAnswer = "GAUNTLET_ANSWER" // the path of a file for its answer to the user

	placeConfig = "{config}"
	placePrompt = "{prompt}"
	placeAnswer = "{answer}"
)

// A Server is an entry in the agent's mcp.json: at URL or, with a Command, started by the agent.
type Server struct {
	Name    string
	URL     string
	Command []string
	Env     map[string]string
}

// Options configure an agent's run. A zero field means its default.
type Options struct {
	// Command is the program and its arguments. {config}, {prompt} and {answer} in them, also within a word, are replaced by the
	// path of mcp.json, the prompt, and the path of a file for the answer. No shell is involved unless the command names one.
	Command []string
	Dir     string   // working directory, "" for ours
	Environ []string // the agent's environment, as NAME=VALUE
	Secret  []string // NAME=VALUE to hide in the agent's output
	Prompt  string
	Servers []Server
	Agents  []Server      // A2A agents, by the URLs of their cards, for EnvAgents
	Limit   time.Duration // default DefaultLimit
	// Preset starts a known agent, with Command as its program if not nil. ModelURL and Model are its model's address and name; ""
	// for the agent's defaults.
	Preset          *Preset
	ModelURL, Model string
	// Files are written to a working directory of the agent's own, in place of Dir; relative names of files in Command stay ours.
	Files []planted.File
	Grace time.Duration // between SIGTERM and SIGKILL; default wire.DefaultGrace
	// Seal makes the sandbox in which the agent runs; nil for none.
	Seal Seal
}

// A Seal makes the sandbox of a program.
type Seal func(program string, c sandbox.Config) (*sandbox.Sandbox, error)

// An Exit is the outcome of an agent's run.
type Exit struct {
	wire.Exit
	// Answer is its answer to the user: the answer file, else its standard output. AnswerCut says that it was cut.
	Answer    string
	AnswerCut bool
	// Stream holds a preset's events; nil for another agent.
	Stream *Stream
	// Left are the files that were new or changed in a working directory with planted files, as calls of agui.LeftFile; LeftCut says
	// that there may be more.
	Left    []LocalCall
	LeftCut bool
}

const answerFile = "answer.txt"

// mostAnswer bounds what is read of an answer file, in bytes.
const mostAnswer = 1 << 20

// Run starts the agent and waits for its end, or ends it at the limit or with ctx. The error says that no agent was started; a
// failing agent is described by the Exit.
func Run(ctx context.Context, opt Options) (Exit, error) {
	if len(opt.Command) == 0 && opt.Preset == nil {
		return Exit{}, errors.New("no agent was named")
	}
	if strings.ContainsRune(opt.Prompt, 0) {
		return Exit{}, errors.New("the prompt contains a zero byte, which no argument can")
	}
	if opt.Preset == nil {
		if err := checkPrompt(opt.Command, opt.Prompt); err != nil {
			return Exit{}, err
		}
	}
	dir, err := os.MkdirTemp("", "gauntlet-agent-")
	if err != nil {
		return Exit{}, err
	}
	// Only our files are in it; an agent that keeps one open loses nothing else.
	defer os.RemoveAll(dir)
	config := filepath.Join(dir, "mcp.json")
	text, err := mcpJSON(opt.Servers)
	if err != nil {
		return Exit{}, err
	}
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return Exit{}, err
	}
	answer := filepath.Join(dir, answerFile)
	fill := strings.NewReplacer(placeConfig, config, placePrompt, opt.Prompt, placeAnswer, answer)
	args := make([]string, len(opt.Command))
	for i, a := range opt.Command {
		args[i] = fill.Replace(a)
	}
	environ := append(opt.Environ[:len(opt.Environ):len(opt.Environ)], EnvConfig+"="+config, EnvPrompt+"="+opt.Prompt, EnvAnswer+"="+answer)
	if len(opt.Agents) > 0 {
		var lines []string
		for _, a := range opt.Agents {
			lines = append(lines, a.Name+"="+a.URL)
		}
		environ = append(environ, EnvAgents+"="+strings.Join(lines, "\n"))
	}
	var events *bounded
	shown := []string{dir}
	command := wire.Command{Args: args, Dir: opt.Dir, Environ: environ, Secret: opt.Secret, Grace: opt.Grace}
	if opt.Preset != nil {
		events = &bounded{}
		command.Output = events
		r := &presetRun{dir: dir, private: dir, prompt: opt.Prompt, config: config, servers: opt.Servers, program: opt.Command, modelURL: opt.ModelURL, name: opt.Model, remove: func() {}}
		command.Args, command.Environ, err = opt.preset(r, environ)
		defer r.remove()
		if err != nil {
			return Exit{}, fmt.Errorf("the agent %s: %w", opt.Preset.Name, err)
		}
		command.Dir = cmp.Or(command.Dir, filepath.Join(dir, "work"))
		shown = append(shown, r.private)
	}
	var place *workplace
	if len(opt.Files) > 0 {
		command.Dir = filepath.Join(dir, "work")
		absoluteNames(command.Args)
		if place, err = plantFiles(command.Dir, opt.Files); err != nil {
			return Exit{}, err
		}
	}
	var box *sandbox.Sandbox
	if opt.Seal != nil {
		if box, err = opt.seal(&command, shown); err != nil {
			return Exit{}, fmt.Errorf("the agent: %w", err)
		}
		defer box.Close()
	}
	p, err := wire.Launch(command)
	if err != nil {
		return Exit{}, fmt.Errorf("the agent: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opt.Limit, DefaultLimit))
	defer cancel()
	exit, err := p.Wait(ctx)
	out := Exit{Exit: exit}
	written := dir
	if box != nil { // it wrote to a copy
		box.Settle()
		written = filepath.Join(dir, "written")
		if failed := box.TakeOut(dir, written); failed != nil {
			out.LeftCut = true
		}
	}
	out.readAnswer(filepath.Join(written, answerFile))
	if place != nil {
		var cut bool
		place.dir = filepath.Join(written, "work")
		out.Left, cut = place.changedFiles()
		out.LeftCut = out.LeftCut || cut
	}
	if events != nil {
		out.Stream = opt.Preset.ReadStream(events.text)
		out.Stream.Whole = out.Stream.Whole && !events.cut
		if out.Stream.Answer != "" {
			out.Answer, out.AnswerCut = out.Stream.Answer, false
		}
	}
	return out, err
}

// preset returns the command and environment of a known agent, which works below the run's directory.
func (opt *Options) preset(r *presetRun, environ []string) (command, env []string, err error) {
	if err := os.MkdirAll(filepath.Join(r.dir, "work"), 0o700); err != nil {
		return nil, nil, err
	}
	if len(r.program) == 0 {
		r.program = nil
	}
	command, further, err := opt.Preset.prepare(r)
	if err != nil {
		return nil, nil, err
	}
	if opt.Preset.OwnHome(environ, opt.ModelURL) {
		home, _ := wire.Lookup(environ, "HOME")
		if opt.Seal == nil { // a sandbox has a home with decoys of its own
			home = filepath.Join(r.dir, "home")
			if err := makeHome(home); err != nil {
				return nil, nil, err
			}
		}
		further = append(further, "HOME="+home, "USERPROFILE="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+filepath.Join(home, ".local/share"), "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_STATE_HOME="+filepath.Join(home, ".local/state"))
		if opt.ModelURL != "" { // a local address needs no key, but clients require one
			for _, k := range opt.Preset.keys {
				if !slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, k+"=") }) && !strings.HasSuffix(k, "AUTH_TOKEN") {
					further = append(further, k+"=none")
				}
			}
		}
	}
	return command, append(environ, further...), nil
}

// mostEvents bounds the kept part of an agent's stream, in bytes.
const mostEvents = 32 << 20

// bounded keeps the beginning of what is written to it.
type bounded struct {
	text []byte
	cut  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), mostEvents-len(b.text))
	b.text = append(b.text, p[:n]...)
	b.cut = b.cut || n < len(p)
	return len(p), nil
}

func (e *Exit) readAnswer(file string) {
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		text, _ := io.ReadAll(io.LimitReader(f, mostAnswer+1)) // whatever is readable is the answer
		e.Answer, e.AnswerCut = string(text[:min(len(text), mostAnswer)]), len(text) > mostAnswer
	}
	if strings.TrimSpace(e.Answer) == "" {
		e.Answer, e.AnswerCut = e.Stdout, e.StdoutBefore > 0
	}
}

// mcpJSON returns the configuration in the form most hosts read.
func mcpJSON(servers []Server) ([]byte, error) {
	type entry struct {
		Type    string            `json:"type,omitempty"`
		URL     string            `json:"url,omitempty"`
		Command string            `json:"command,omitempty"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
	}
	all := map[string]entry{}
	for _, s := range servers {
		e := entry{Type: "http", URL: s.URL}
		if len(s.Command) > 0 {
			e = entry{Command: s.Command[0], Args: s.Command[1:], Env: s.Env}
		}
		if _, twice := all[s.Name]; twice {
			return nil, fmt.Errorf("two servers are called %q", s.Name)
		}
		all[s.Name] = e
	}
	return json.MarshalIndent(map[string]any{"mcpServers": all}, "", "  ")
}

// Words splits a command line into words like a shell, without other expansions: quotes of both kinds group a word, and a backslash
// escapes a quote, a blank or a backslash (not inside single quotes). Elsewhere a backslash is kept, so that Windows paths survive.
func Words(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	inWord := false
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line) && strings.IndexByte(`\"' `, line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
			inWord = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inWord {
				out = append(out, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quotation mark is not closed")
	}
	if inWord {
		out = append(out, word.String())
	}
	return out, nil
}

// checkPrompt rejects a prompt that would be interpreted. It may come from a stranger's document, and must not become an option of
// the command (python3 {prompt} would run what follows "-c"), the program itself, or part of a script.
func checkPrompt(command []string, prompt string) error {
	const instead = `or have the agent read the variable ` + EnvPrompt
	if strings.Contains(command[0], placePrompt) {
		return errors.New("{prompt} stands for the program: it is what the document says, " + instead)
	}
	script := interprets.MatchString(strings.ToLower(filepath.Base(command[0])))
	for i, word := range command[1:] {
		switch before := command[i]; {
		case !strings.Contains(word, placePrompt):
		case script && takesScript.MatchString(before):
			return errors.New("{prompt} stands in a script, whose code it could become: hand it over as an argument behind the script, " + instead)
		case script && namesScript(command[1:i+1]):
			return errors.New("{prompt} stands where " + filepath.Base(command[0]) + " takes the file or module that it runs: put the script before {prompt}, " + instead)
		case strings.HasPrefix(word, placePrompt) && strings.HasPrefix(prompt, "-") && !slices.Contains(command[1:i+1], "--"):
			return errors.New("the prompt begins with - and would be an option of the agent's command: put -- before {prompt}, write it as --option={prompt}, " + instead)
		}
	}
	return nil
}

// namesScript reports whether an interpreter would run the word after these: only options, and "run" of deno and bun, precede it.
// An option's value (node -r hook.js) counts as a script, so that no honest command is rejected.
func namesScript(before []string) bool {
	return !slices.ContainsFunc(before, func(word string) bool { return !strings.HasPrefix(word, "-") && word != "run" })
}

var (
	// interprets matches programs that run a script from their command line, with version suffixes.
	interprets = lazyregexp.New(`^(?:sh|bash|dash|zsh|ksh|fish|python|node|deno|bun|ruby|perl|php|pwsh|powershell|cmd)[\d.]*(?:\.exe)?$`)
	// takesScript matches options that a script follows: -c, -lc, -e, --eval, /c.
	takesScript = lazyregexp.New(`^(?:-[a-z]*[cep]|--eval|--print|-command|-encodedcommand|/[ck]|eval)$`)
)
