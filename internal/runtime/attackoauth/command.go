package attackoauth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Command is a client under test that is a program.
type Command struct {
	// Args is the program and its arguments; "{url}" stands for the server's URL, which is appended if no argument has it.
	Args []string
	// Environ is its environment.
	Environ []string
	// Visit is the command that runs this program to write an address, its last argument, to the file that VisitFile names. BROWSER
	// points to it, so that the program opens pages with it.
	Visit []string
	// Limit bounds one run.
	Limit time.Duration
}

// VisitFile is the variable that names the file for addresses.
const VisitFile = "GAUNTLET_VISIT_FILE"

// Client returns a client that runs the program, until it exits or its time is up.
func (c *Command) Client() Client {
	return func(ctx context.Context, w *World) error {
		ctx, cancel := context.WithTimeout(ctx, c.Limit)
		defer cancel()
		dir, err := os.MkdirTemp("", "gauntlet-client-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		browser, visits, err := c.prepareBrowser(dir)
		if err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, c.Args[0], c.arguments(w.Server)...)
		cmd.Dir = dir
		cmd.Env = append(append([]string{}, c.Environ...), "BROWSER="+browser, VisitFile+"="+visits)
		out := &saying{w: w}
		cmd.Stdout, cmd.Stderr = out, out
		cmd.WaitDelay = time.Second
		ownGroup(cmd)
		var watching sync.WaitGroup
		watched, stop := context.WithCancel(ctx)
		watching.Go(func() { followVisits(watched, visits, w) }) // ends with stop
		err = cmd.Run()
		stop()
		watching.Wait()
		if _, failed := os.Stat(filepath.Join(dir, "gauntlet-was-here")); failed == nil {
			w.noteOpened("a command ran: touch gauntlet-was-here")
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errors.New("the client did not finish in time")
		}
		if err != nil {
			return fmt.Errorf("the client: %w", err)
		}
		return nil
	}
}

func (c *Command) arguments(server string) []string {
	var out []string
	named := false
	for _, a := range c.Args[1:] {
		named = named || strings.Contains(a, "{url}")
		out = append(out, strings.ReplaceAll(a, "{url}", server))
	}
	if !named {
		out = append(out, server)
	}
	return out
}

// prepareBrowser creates the script used as browser, and the empty file it writes to.
func (c *Command) prepareBrowser(dir string) (browser, visits string, err error) {
	quoted := make([]string, len(c.Visit))
	for i, v := range c.Visit {
		quoted[i] = "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
	}
	browser, visits = filepath.Join(dir, "browser"), filepath.Join(dir, "visits")
	if err := os.WriteFile(visits, nil, 0o600); err != nil {
		return "", "", err
	}
	return browser, visits, os.WriteFile(browser, []byte("#!/bin/sh\nexec "+strings.Join(quoted, " ")+" \"$1\"\n"), 0o700) //nolint:gosec // it has to run
}

// followVisits opens the program's pages as they arrive.
func followVisits(ctx context.Context, name string, w *World) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	r, line := bufio.NewReader(f), ""
	for last := false; ; {
		part, err := r.ReadString('\n')
		line += part
		if err == nil {
			_ = w.Open(ctx, strings.TrimSuffix(line, "\n"))
			line = ""
			continue
		}
		if err != io.EOF || len(line) > maxRequest || last {
			return
		}
		select {
		case <-ctx.Done():
			last = true // what it wrote before it ended counts
		case <-tick.C:
		}
	}
}

// NoteVisit appends an address to the file.
func NoteVisit(file, address string) error {
	if len(address) > maxRequest {
		address = address[:maxRequest]
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0) // it exists
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, strings.ReplaceAll(address, "\n", " ")+"\n")
	return errors.Join(err, f.Close())
}

// saying keeps the program's output.
type saying struct{ w *World }

func (s *saying) Write(b []byte) (int, error) {
	s.w.Say(string(b))
	return len(b), nil
}
