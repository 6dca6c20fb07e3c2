package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// The bounds on one run of a client.
const (
	maxOutput   = 32 << 20        // bytes of its standard output
	clientTime  = 5 * time.Minute // for one command
	maxTree     = 3 << 30         // bytes that an installation may write
	watchTree   = 2 * time.Second // how often they are counted
	maxComplain = 3               // lines of what it complained about
)

// errMissingClient says that the client of an ecosystem is not installed.
var errMissingClient = errors.New("is not installed on this machine")

// A client is one run of a program of an ecosystem.
type client struct {
	dir  string // working directory
	env  []string
	args []string
	// grows is the directory that it writes to, whose size is watched; "" for none.
	grows string
	// seal has it run in a sandbox, with env as all of its environment; nil for a client that nothing of a
	// package decides upon.
	seal *seal
}

// run runs a client and returns its standard output, also of one that failed. An error has the cause that it names, and
// quotes no argument.
func (f *Fetcher) run(ctx context.Context, c client) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, clientTime, fmt.Errorf("%s took more than %s", c.args[0], clientTime))
	defer cancel()
	out := &boundedBuffer{left: maxOutput}
	command := wire.Command{Args: c.args, Dir: c.dir, Environ: append(withoutGit(f.Environ), c.env...), Output: out}
	box, err := f.newSandbox(&c)
	if err != nil {
		return nil, err
	}
	if box != nil {
		defer box.Close()
		command.Wrap, command.Environ, command.Dir = box.Wrap, c.env, cmp.Or(c.dir, workDir)
	}
	p, err := wire.Launch(command)
	if err != nil {
		if errors.Is(err, sandbox.ErrUnavailable) {
			return nil, fmt.Errorf("%w: %w", ErrUnsealed, err)
		}
		if errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "not found") {
			return nil, fmt.Errorf("%s %w", c.args[0], errMissingClient)
		}
		return nil, err
	}
	if c.grows != "" {
		watched, end := context.WithCancelCause(ctx)
		done := make(chan struct{})
		go func() { // ends with the client
			defer close(done)
			watchSize(watched, c.grows, end)
		}()
		defer func() { end(nil); <-done }()
		ctx = watched
	}
	exit, err := p.Wait(ctx)
	unreached := ""
	if box != nil {
		events := box.Events(1)
		c.seal.led, unreached = outside(events)
		if thefts := slices.DeleteFunc(events, func(e sandbox.Event) bool { return !e.Outgoing() || len(e.Canaries) == 0 }); len(thefts) > 0 && f.Heard != nil {
			f.Heard(thefts)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case exit.Cut:
		return nil, context.Cause(ctx)
	case exit.Code != 0:
		return out.Bytes(), &clientError{c.args[0], exit.How, unreached, exit.Stderr}
	case out.cut:
		return nil, fmt.Errorf("%s wrote more than %d bytes", c.args[0], maxOutput)
	}
	if box != nil {
		for _, t := range c.seal.take {
			if err := box.TakeOut(t.from, t.to); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	return out.Bytes(), nil
}

// A clientError is a client that failed.
type clientError struct{ program, how, unreached, stderr string }

func (e *clientError) Error() string {
	said := wire.TellingLines(ownWords.Replace(e.stderr), maxComplain)
	if e.unreached != "" {
		said = append([]string{e.unreached}, said...)
	}
	if said == nil {
		return e.program + " " + e.how
	}
	return e.program + " " + e.how + ": " + strings.Join(said, "; ")
}

// ownWords takes off what npm writes in front of every line.
var ownWords = strings.NewReplacer("npm error ", "", "npm ERR! ", "")

// A boundedBuffer keeps the first bytes that are written to it.
type boundedBuffer struct {
	bytes.Buffer
	left int
	cut  bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.cut = b.cut || n < len(p)
	_, _ = b.Buffer.Write(p[:n]) // a Buffer takes everything
	return len(p), nil
}

// watchSize ends a client that writes more than any honest package has.
func watchSize(ctx context.Context, dir string, end context.CancelCauseFunc) {
	tick := time.NewTicker(watchTree)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if treeSize(dir) > maxTree {
				end(fmt.Errorf("what it installs has more than %d bytes", int64(maxTree)))
				return
			}
		}
	}
}

func treeSize(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

func (f *Fetcher) variable(name string) string {
	v, _ := wire.Lookup(f.Environ, name)
	return v
}
