package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gauntlet/internal/cli"
	"gauntlet/internal/cli/fleetcli"
)

// Every command has a page that names it, and the pages of two runs are the same bytes.
func TestWriteAll(t *testing.T) {
	for _, program := range []func() *cobra.Command{cli.Command, fleetcli.Command} {
		t.Run(program().Name(), func(t *testing.T) { checkPages(t, program) })
	}
}

func checkPages(t *testing.T, program func() *cobra.Command) {
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if err := writeAll(dir, program()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range commandsBelow(program()) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		one, err := os.ReadFile(filepath.Join(first, "man", name))
		if err != nil {
			t.Error(err)
			continue
		}
		two, err := os.ReadFile(filepath.Join(second, "man", name))
		if err != nil || string(one) != string(two) {
			t.Errorf("%s differs between two runs: %v", name, err)
		}
		if !strings.Contains(string(one), c.Short) {
			t.Errorf("%s does not say %q", name, c.Short)
		}
	}
	for _, name := range []string{"NAME.bash", "_NAME", "NAME.fish", "NAME.ps1"} {
		name = strings.Replace(name, "NAME", program().Name(), 1)
		if text, err := os.ReadFile(filepath.Join(first, "completions", name)); err != nil || !strings.Contains(string(text), program().Name()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func commandsBelow(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, commandsBelow(sub)...)
		}
	}
	return out
}

func TestDirectory(t *testing.T) {
	for _, tt := range []struct {
		args []string
		dir  string
		ok   bool
	}{
		{[]string{"out"}, "out", true},
		{[]string{"--help"}, "", true},
		{[]string{"-h"}, "", true},
		{[]string{"--out"}, "--out", false},
		{[]string{""}, "", false},
		{nil, "", false},
		{[]string{"a", "b"}, "", false},
	} {
		if dir, ok := directory(tt.args); ok != tt.ok || ok && dir != tt.dir {
			t.Errorf("directory(%q) = %q, %t, want %q, %t", tt.args, dir, ok, tt.dir, tt.ok)
		}
	}
}
