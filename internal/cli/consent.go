package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"golang.org/x/term"

	"gauntlet/check/config"
	"gauntlet/finding"
	"gauntlet/internal/wire"
	"gauntlet/report"
)

// consent asks the user whether what the plan holds may be started, and takes out of it
// what may not. Everything is shown before: a configuration may come from anybody.
func (a *app) consent(ctx context.Context, c *configFlags, p *plan) error {
	if len(p.launches) == 0 {
		return nil
	}
	if c.yes {
		if !a.quiet {
			a.show(c, p)
		}
		return nil
	}
	all := len(p.launches)
	answers, leave := a.terminal()
	defer leave()
	a.show(c, p)
	if answers == nil {
		p.decline(func(*launch) bool { return true }, "there was no terminal to ask on")
		p.unlaunched(all, "there is no terminal to ask on; --yes starts them, --no-launch judges the configurations alone")
		a.say("nothing was started: %s", p.problems[len(p.problems)-1].Message)
		return nil
	}
	agreed, err := a.agreement(ctx, answers, p)
	if err != nil {
		return err
	}
	p.decline(func(l *launch) bool { return !agreed[l] }, "you did not agree")
	if n := all - len(p.launches); n > 0 {
		p.unlaunched(n, "you did not agree")
	}
	return nil
}

// unlaunched records that a part of what was asked for was not looked at.
func (p *plan) unlaunched(n int, why string) {
	servers := "servers of configurations were"
	if n == 1 {
		servers = "server of a configuration was"
	}
	p.problems = append(p.problems, finding.Problem{Kind: finding.Unread, Input: -1, Message: fmt.Sprintf("%d %s not scanned: %s", n, servers, why)})
}

// show prints every command and address of the plan, without its secrets.
func (a *app) show(c *configFlags, p *plan) {
	often := ""
	if c.often != "" {
		often = ", " + c.often
	}
	a.say("these would be started or connected to, with your rights%s:", often)
	for i, l := range p.launches {
		for _, line := range l.lines(i + 1) {
			a.printErr("%s", line)
		}
	}
}

// lines describe a launch to a person who has to agree to it: the program or the place as
// it will be, the arguments in the words of the configuration. Values of this machine's
// variables stand there as [NAME]: nobody has agreed to a configuration that names them.
func (l *launch) lines(n int) []string {
	lines := []string{fmt.Sprintf("%4d  %s", n, whose(l))}
	filled := wire.Redactor(entries(l.resolved.Filled))
	if l.target.url != "" {
		lines = append(lines, "      connects to "+filled.Replace(l.resolved.Address()))
		if names := namesOf(l.target.header); names != "" {
			lines = append(lines, "      sends it the headers "+names)
		}
		if u, err := url.Parse(l.target.url); err == nil && u.User != nil {
			lines = append(lines, "      sends it the user and the password in the address")
		}
		return lines
	}
	e := *l.entries[0]
	e.Command = filled.Replace(l.resolved.Command)
	lines = append(lines, "      starts "+e.CommandLine())
	if l.target.dir != "" {
		lines = append(lines, "      in "+filled.Replace(l.target.dir))
	}
	if names := namesOf(l.target.env); names != "" {
		lines = append(lines, "      gives it the variables "+names)
	}
	if l.resolved.EnvFile != "" {
		lines = append(lines, "      those in "+filled.Replace(l.resolved.EnvFile)+" among them")
	}
	return lines
}

// entries writes variables as NAME=VALUE.
func entries(vs []config.Variable) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Name+"="+v.Value.Reveal())
	}
	return out
}

// whose says which entries a launch is for.
func whose(l *launch) string {
	var from []string
	for _, e := range l.entries {
		from = append(from, fmt.Sprintf("%s in %s:%d", entryName(e), e.File, e.Place.Line))
	}
	return strings.Join(from, ", ")
}

// namesOf are the names of NAME=VALUE entries.
func namesOf(entries []string) string {
	var names []string
	for _, e := range entries {
		name, _, _ := strings.Cut(e, "=")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// terminal is where a person answers, nil if nobody is there to. Until leave is called that
// person sees what goes to stderr, wherever else it goes: nobody agrees to what is in a file.
func (a *app) terminal() (answers *bufio.Reader, leave func()) {
	f, ok := a.host.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	stderr := a.host.Stderr
	if !isTerminal(stderr) {
		a.host.Stderr = io.MultiWriter(stderr, f) // a terminal's input can be written to
	}
	return bufio.NewReader(f), func() { a.host.Stderr = stderr }
}

// agreement asks for all at once or one by one, and returns what was agreed to. Whatever is
// not clearly a yes is a no.
func (a *app) agreement(ctx context.Context, answers *bufio.Reader, p *plan) (map[*launch]bool, error) {
	agreed := map[*launch]bool{}
	question := "Start it? [y/N] "
	if len(p.launches) > 1 {
		question = "Start all of them? [y]es, [N]o, [e]ach by itself: "
	}
	answer, err := a.question(ctx, answers, question)
	if err != nil {
		return nil, err
	}
	for i, l := range p.launches {
		switch answer {
		case "y", "yes":
			agreed[l] = true
		case "e", "each":
			one, err := a.question(ctx, answers, fmt.Sprintf("Start %d, %s? [y/N] ", i+1, report.Visible(entryName(l.entries[0]))))
			if err != nil {
				return nil, err
			}
			agreed[l] = one == "y" || one == "yes"
		}
	}
	return agreed, nil
}

// question asks and returns the answer in lower case; the end of the input is no answer.
func (a *app) question(ctx context.Context, answers *bufio.Reader, text string) (string, error) {
	_, _ = io.WriteString(a.host.Stderr, text) // who cannot be asked does not agree
	line, err := interruptible(ctx, func() string {
		s, _ := answers.ReadString('\n') // what comes before an error is an answer too
		return s
	})
	return strings.ToLower(strings.TrimSpace(line)), err
}
