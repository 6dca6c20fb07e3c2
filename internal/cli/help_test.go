package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// eachCommand calls visit with the root and every command below it that users see.
func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			eachCommand(sub, visit)
		}
	}
}

// Help of every command fits a terminal of 80 columns and lists the command in a group.
func TestHelpFitsTerminals(t *testing.T) {
	root := (&app{host: Host{Stdout: new(bytes.Buffer)}}).rootCommand()
	eachCommand(root, func(c *cobra.Command) {
		var b bytes.Buffer
		writeHelp(&b, c, helpWidth)
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > helpWidth {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
		if c.Parent() == root && c.GroupID == "" {
			t.Errorf("%s is in no group: name it in groupOf", c.Name())
		}
	})
}

func TestWrapCommand(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"  a b c", "  a b c\n"},
		{"  aaaa bbbb cccc", "  aaaa bbbb \\\n      cccc\n"},
		{"  aaaa 'bbbb cccc' d", "  aaaa \\\n      'bbbb cccc' d\n"},
		{"  aaaaaaaaaaaaaaaaaaaa", "  aaaaaaaaaaaaaaaaaaaa\n"},
	} {
		if got := wrapCommand(tt.line, 14); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestWrapText(t *testing.T) {
	got := wrapText("One two three\nfour five.\n\nA list:\n  0  kept as it stands, however long\nend", 14)
	if want := "One two three\nfour five.\n\nA list:\n  0  kept as it stands, however long\nend\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// docs/flags.md lists every flag with its meanings. A flag that means different things in different
// commands shows there, one line each.
func TestFlagTable(t *testing.T) {
	root := (&app{host: Host{Stdout: new(bytes.Buffer)}}).rootCommand()
	meanings := map[string]map[string][]string{}
	var undocumented []string // flags that do not say what holds without them
	eachCommand(root, func(c *cobra.Command) {
		if strings.Contains(c.CommandPath(), "completion") {
			return
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || f.Name == "version" {
				return
			}
			if !strings.Contains(flagMeaning(f), "default ") {
				undocumented = append(undocumented, c.CommandPath()+" --"+f.Name)
			}
			name := flagName(f)
			if meanings[name] == nil {
				meanings[name] = map[string][]string{}
			}
			path := strings.TrimPrefix(c.CommandPath(), "gauntlet ")
			meanings[name][flagMeaning(f)] = append(meanings[name][flagMeaning(f)], path)
		})
	})
	if undocumented != nil {
		t.Errorf("no default is given for %q", undocumented)
	}
	var b strings.Builder
	b.WriteString("# Flags\n\nEvery flag of every command. A test writes this page.\n\n| flag | meaning | commands |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(meanings)) {
		for _, meaning := range slices.Sorted(maps.Keys(meanings[name])) {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.ReplaceAll(meaning, "|", `\|`), strings.Join(meanings[name][meaning], ", "))
		}
	}
	page := filepath.Join(repository, "docs", "flags.md")
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(page); err != nil || string(text) != b.String() {
		t.Errorf("%s is not what the commands say (%v); write it anew with: go test ./internal/cli -run TestFlagTable -update", page, err)
	}
}
