package wire

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/redact"
)

// A Program is a started process in its own process group that is not an MCP server: it gets no input, and the end of its output is
// kept.
type Program struct {
	cmd    *exec.Cmd
	stdout outputTail
	stderr outputTail
	secret *redact.Redactor
	mark   string
	grace  time.Duration
	exited chan struct{} // closed when the process has ended and its output is read
}

// An Exit is the outcome of a Program.
type Exit struct {
	Code   int    // its exit status, -1 if a signal ended it
	How    string // "exited with status 1", "was ended by signal: killed"
	Cut    bool   // it ran out of time and was ended
	Stdout string // the last 8 KiB of what it wrote, without the values of Command.Env and Secret
	Stderr string
	// StdoutBefore is the number of output bytes before Stdout.
	StdoutBefore int64
}

// Launch starts a program with all of c.Environ, since it is the user's own program. Its errors quote no argument. The caller must
// call Wait.
func Launch(c Command) (*Program, error) {
	cmd, err := c.findProgram()
	if err != nil {
		return nil, err
	}
	p := &Program{cmd: cmd, grace: cmp.Or(c.Grace, DefaultGrace), mark: markName + "=" + rand.Text(), exited: make(chan struct{})}
	p.secret = redact.New(slices.Concat(c.Env, c.Secret, []string{p.mark}))
	cmd.Env = slices.Concat(c.Environ, c.Env, []string{p.mark})
	if dir, err := filepath.Abs(c.Dir); err == nil && c.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+dir) // opencode works where PWD says, and not where it was started
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Dir, &p.stdout, &p.stderr, p.grace
	if c.Output != nil {
		cmd.Stdout = io.MultiWriter(&p.stdout, c.Output)
	}
	if err := c.startWrapped(cmd, p.exited); err != nil {
		return nil, fmt.Errorf("command %q: %w", c.Args[0], trimPathError(err))
	}
	return p, nil
}

// Wait waits for the program to end, and then for Grace for what it left running: an agent may answer while a child of it still
// sends. When ctx ends, it ends the program: SIGTERM to its group, and SIGKILL after Grace. It always
// kills the rest of the group, and on Linux also processes that left the group but kept the environment. The error says that this
// failed.
func (p *Program) Wait(ctx context.Context) (Exit, error) {
	var e Exit
	select {
	case <-p.exited:
		for end := time.Now().Add(p.grace); groupLives(p.cmd.Process) && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
	case <-ctx.Done():
		e.Cut = true
		terminateGroup(p.cmd.Process)
		closesWithin(p.exited, p.grace)
	}
	killGroupAndLeft(p.cmd.Process, p.mark)
	if !closesWithin(p.exited, p.grace+2*drain) {
		return e, fmt.Errorf("the program (process %d) could not be ended", p.cmd.Process.Pid)
	}
	e.Code, e.How = p.cmd.ProcessState.ExitCode(), describeExit(p.cmd)
	stdout, before := p.stdout.lastLines()
	stderr, _ := p.stderr.lastLines()
	e.StdoutBefore = before
	e.Stdout, e.Stderr = p.secret.Replace(stdout), p.secret.Replace(stderr)
	return e, nil
}

// inherited lists the variables that a server needs, after the official SDKs' lists. Everything else (tokens, cloud credentials,
// agent sockets) is not for a server under test. A trailing * marks a prefix.
var inherited = map[bool][]string{
	false: {"HOME", "LANG", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"},
	true: {
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP",
		"USERNAME", "USERPROFILE",
	},
}

// Lookup returns the value of a variable in an environment, of which the last entry of a name counts, as for programs.
func Lookup(environ []string, name string) (value string, ok bool) {
	for _, entry := range slices.Backward(environ) {
		if value, ok = strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// Inherited returns the entries of environ that a server gets by default.
func Inherited(environ []string) []string {
	windows := runtime.GOOS == "windows"
	var out []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if windows {
			name = strings.ToUpper(name) // names are case-insensitive there
		}
		// A value that begins with "()" is a shell function exported by bash.
		if slices.ContainsFunc(inherited[windows], func(n string) bool {
			prefix, isPrefix := strings.CutSuffix(n, "*")
			return n == name || isPrefix && strings.HasPrefix(name, prefix)
		}) && !strings.HasPrefix(value, "()") {
			out = append(out, entry)
		}
	}
	return out
}

// environment joins inherited and explicitly set variables. It is never nil: os/exec takes nil for our whole environment.
func environment(environ, set []string) ([]string, error) {
	for i, entry := range set {
		name, _, ok := strings.Cut(entry, "=")
		switch {
		case !ok || name == "":
			// Not quoted: it may be a secret whose name was forgotten.
			return nil, fmt.Errorf("environment variable %d is not of the form NAME=VALUE", i+1)
		case strings.IndexByte(entry, 0) >= 0:
			return nil, fmt.Errorf("environment variable %d contains a NUL byte", i+1)
		}
	}
	return append(append(make([]string, 0, len(set)+16), Inherited(environ)...), set...), nil
}

// variableName matches possible environment variable names. Without an underscore a name is too often an ordinary word in capitals,
// or an error code.
var variableName = lazyregexp.New(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)

// settingName matches the endings of variables that a server asks its user for. Error names end otherwise.
var settingName = lazyregexp.New(`(KEY|TOKEN|SECRET|PASSWORD|PASS|PAT|URL|URI|ENDPOINT|HOST|HOSTNAME|DOMAIN|USER|USERNAME|EMAIL|ID|ORG|ORGANIZATION|WORKSPACE|PROJECT|TENANT|REGION|NAME|DSN|PATH|DIR|DIRECTORY|PORT|ACCOUNT|STRING|CREDENTIALS|AUTH|SITE|INSTANCE|TEAM|BASE|SERVER)$`)

const (
	maxVariables     = 100 // names examined in one text
	maxVariableBytes = 64  // longest name
)

// NamedVariables returns the environment variables that a server's last output seems to ask for, without repeats, in order of
// appearance. They consist of capitals, digits and underscores.
func NamedVariables(text string) []string {
	var out []string
	for _, name := range variableName.FindAllString(text, maxVariables) {
		ofRuntime := strings.HasPrefix(name, "ERR_") || strings.HasPrefix(name, "NPM_") || strings.HasPrefix(name, "NODE_")
		if settingName.MatchString(name) && !ofRuntime && len(name) <= maxVariableBytes && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// mostMissing bounds the variables that a message names.
const mostMissing = 3

// missingVariables returns the variables that the server's stderr names and that it was not given.
func (p *Process) missingVariables() []string {
	text, _ := p.Stderr()
	out := slices.DeleteFunc(NamedVariables(text), func(name string) bool {
		return slices.ContainsFunc(p.given, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	})
	return out[:min(len(out), mostMissing)]
}
