package vet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// The bounds on a build.
const (
	buildTime  = 4 * time.Minute
	buildDisk  = 3 << 30
	maxProgram = 512 << 20
	builtAt    = "/tmp/vetted-server" // in the sandbox; fetch names it in Start.Build
)

// builtMessage is what the shell around a build says when it is over.
const builtMessage = `{"jsonrpc":"2.0","method":"built"}`

// build builds the program in the sandbox and takes it out of there.
func (v *vetting) build(ctx context.Context) error {
	v.Progress.Step("%s: building it in a sandbox", v.label())
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	// The shell waits until the program was taken out: the sandbox ends with it.
	command := append([]string{"sh", "-c", `"$@" >&2 && echo '` + builtMessage + `' && cat >/dev/null`, "build"}, v.start.Build...)
	d := launch.Dialer{Environ: v.Fetcher.Environ, Sandbox: sandbox.Require, SandboxConfig: sandbox.Config{OwnFiles: true, Read: v.start.Read, Limits: sandbox.Limits{Disk: buildDisk, FileSize: maxProgram, Memory: 16 << 30}}}
	opened, err := d.Open(launch.Server{Command: command, Dir: v.start.Dir, Env: v.start.Env}, nil)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Conn.Kill() }() // nothing of it is needed any more
	m, err := opened.Conn.Receive(ctx)
	if err != nil {
		return buildError(ctx, err, opened)
	}
	if !strings.Contains(m.Raw, `"built"`) {
		return errors.New("the build said something else than that it was over")
	}
	program, err := opened.Sandbox.ReadFile(builtAt, maxProgram)
	if err != nil {
		return err
	}
	return os.WriteFile(v.start.Built, program, 0o755)
}

// buildError says why a build ended, with the last lines that it wrote.
func buildError(ctx context.Context, err error, opened *launch.Opened) error {
	if ctx.Err() != nil {
		return fmt.Errorf("building it took more than %s", buildTime)
	}
	var end *wire.EndError
	if errors.As(err, &end) {
		_ = opened.Conn.Close()
		text, _ := opened.Process.Stderr()
		lines := strings.Split(strings.TrimSpace(text), "\n")
		return fmt.Errorf("it could not be built: %s", strings.Join(lines[max(0, len(lines)-3):], "; "))
	}
	return err
}
