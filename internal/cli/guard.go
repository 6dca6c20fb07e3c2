package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/internal/engine/guard"
	"gauntlet/internal/run/userfile"
	"gauntlet/lock"
	"gauntlet/rawjson"
	"gauntlet/result"
)

const (
	mostHook   = 8 << 20
	mostScript = 256 << 10
)

func (a *app) newGuardCommand() *cobra.Command {
	var client, policyFile string
	cmd := withoutArguments(newCommand("guard [flags] --hook CLIENT", "Decide about one call of an agent's tool, as a hook of its client", func(cmd *cobra.Command, _ []string) error {
		if !slices.Contains(guard.Clients(), client) {
			return usage(cmd, "--hook: want one of %s", strings.Join(guard.Clients(), ", "))
		}
		event, v, err := a.guardCall(policyFile)
		if err != nil { // an error must not let a call pass: clients treat exit code 2 as a refusal
			a.code = result.ExitTrouble
			return fmt.Errorf("the call is refused: %w", err)
		}
		_, err = io.WriteString(a.host.Stdout, guard.WriteHook(client, event, v))
		return err
	}))
	cmd.Flags().StringVar(&client, "hook", "", "the `CLIENT` whose hook it is: "+strings.Join(guard.Clients(), ", ")+" (required; default none)")
	cmd.Flags().StringVar(&policyFile, "policy", "", "what was decided beforehand, from this `FILE` (default none)")
	completeWith(cmd, "hook", guard.Clients())
	return cmd
}

// guardCall reads a hook's call and judges it. It returns the event, too.
func (a *app) guardCall(policyFile string) (string, guard.Verdict, error) {
	var policy guard.Policy
	if policyFile != "" {
		text, err := userfile.ReadText(policyFile, nil, 1<<20)
		if err == nil {
			policy, err = guard.ParsePolicy(text)
		}
		if err != nil {
			return "", guard.Verdict{}, fmt.Errorf("%s: %w", policyFile, userfile.Reason(err))
		}
	}
	text, err := io.ReadAll(io.LimitReader(a.host.Stdin, mostHook+1))
	if err != nil {
		return "", guard.Verdict{}, err
	}
	if len(text) > mostHook {
		return "", guard.Verdict{}, errors.New("the hook's input is too long to be judged")
	}
	call, cwd, err := guard.ReadHook(string(text))
	if err != nil {
		return "", guard.Verdict{}, err
	}
	home, _ := a.lookupEnv("HOME")
	call.Resolve = func(p string) string { return resolved(p, home, cwd) }
	call.Read = func(p string) (string, bool) { return script(resolved(p, home, cwd)) }
	changed, err := changedFiles(policy.Lockfile, cwd, call)
	if err != nil {
		return "", guard.Verdict{}, err
	}
	return call.Event, guard.Decide(policy, call, changed), nil
}

// script returns what is in a script, "" for what is none, and whether that is all.
func script(name string) (string, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", true // nor can a shell run it
	}
	f, err := os.Open(name)
	if err != nil {
		return "", true
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostScript+1))
	if err != nil || bytes.IndexByte(text, 0) >= 0 { // a program
		return "", true
	}
	return string(text), len(text) <= mostScript
}

// resolved returns what a path of a call leads to by links, "" for nothing.
func resolved(p, home, cwd string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		p = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(cwd, p)
	}
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return ""
	}
	return real
}

// changedFiles returns files for agents that a call names and that differ from the lockfile.
func changedFiles(lockfile, cwd string, call guard.Call) (out []string, err error) {
	if lockfile == "" {
		return nil, nil
	}
	text, err := userfile.ReadText(lockfile, nil, catalog.OwnBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", lockfile, userfile.Reason(err))
	}
	var c catalog.Catalog
	if err := lock.Add(&c, lockfile, text, catalog.Limits{Bytes: catalog.OwnBytes}); err != nil {
		return nil, err
	}
	said := ""
	for _, a := range call.Args {
		said += a.Text + "\n"
	}
	var tree rawjson.Tree
	for _, s := range c.Servers {
		for it := range s.Items() {
			v := it.Parse(s, &tree)
			if !strings.HasPrefix(v.Get("uri").Text(), "agent-file:") || !strings.Contains(said, it.Name()) {
				continue
			}
			now, err := os.ReadFile(filepath.Join(cwd, filepath.FromSlash(it.Name())))
			if err != nil {
				continue // the call itself will fail
			}
			if sum := sha256.Sum256(now); hex.EncodeToString(sum[:]) != v.Get("_meta").Get("sha256").Text() {
				out = append(out, it.Name())
			}
		}
	}
	return out, nil
}
