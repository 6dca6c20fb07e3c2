package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/cli/fleetcli"
	"gauntlet/internal/cli/helppage"
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
	for _, root := range []*cobra.Command{Command(), fleetcli.Command()} {
		eachCommand(root, func(c *cobra.Command) {
			var b bytes.Buffer
			helppage.Write(&b, c, helppage.Width)
			for line := range strings.Lines(b.String()) {
				if n := len([]rune(strings.TrimRight(line, "\n"))); n > helppage.Width {
					t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
				}
			}
			if c.Parent() == root && len(root.Groups()) > 0 && c.GroupID == "" {
				t.Errorf("%s is in no group: name it in groupOf", c.Name())
			}
		})
	}
}

// Every command has a text with examples or details, and every text a command.
func TestHelpTexts(t *testing.T) {
	for folder, root := range map[string]*cobra.Command{".": Command(), "fleetcli": fleetcli.Command()} {
		want := map[string]bool{}
		eachCommand(root, func(c *cobra.Command) {
			want[filepath.Join(folder, helppage.TextName(c))] = true
			if c.Long == "" {
				t.Errorf("%s has no text: write %s", c.CommandPath(), helppage.TextName(c))
			}
		})
		files, err := filepath.Glob(filepath.Join(folder, "help", "*.txt"))
		if err != nil || len(files) == 0 {
			t.Fatal("no texts", err)
		}
		for _, file := range files {
			if !want[file] {
				t.Errorf("%s is the text of no command", file)
			}
		}
	}
}

// docs/flags.md lists the flags of both programs. A flag means the same in every command of a program; commands
// differ in what they add behind ": " or "; " and in defaults.
func TestFlagTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Flags\n\nEvery flag of every command, each with one meaning. A test writes this page.\n")
	for _, root := range []*cobra.Command{Command(), fleetcli.Command()} {
		fmt.Fprintf(&b, "\n## %s\n\n| flag | meaning | more, by command |\n|---|---|---|\n", root.Name())
		flags := flagsOf(t, root)
		for _, name := range slices.Sorted(maps.Keys(flags)) {
			writeFlagRow(t, &b, flags[name])
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

// A documentedFlag is a flag of one name: its forms and its meanings, with the commands that have them.
type documentedFlag struct {
	forms    []string
	commands map[string][]string // by meaning and details
}

// flagsOf returns the flags of all commands of a program, by name. Every flag says what holds without it.
func flagsOf(t *testing.T, root *cobra.Command) map[string]*documentedFlag {
	out := map[string]*documentedFlag{}
	eachCommand(root, func(c *cobra.Command) {
		if strings.Contains(c.CommandPath(), "completion") {
			return
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || f.Name == "version" {
				return
			}
			meaning := helppage.FlagMeaning(f)
			if !strings.Contains(meaning, "default ") {
				t.Errorf("%s --%s does not say its default", c.CommandPath(), f.Name)
			}
			d := out[f.Name]
			if d == nil {
				d = &documentedFlag{commands: map[string][]string{}}
				out[f.Name] = d
			}
			if form := helppage.FlagName(f); !slices.Contains(d.forms, form) {
				d.forms = append(d.forms, form)
			}
			d.commands[meaning] = append(d.commands[meaning], strings.TrimPrefix(c.CommandPath(), root.Name()+" "))
		})
	})
	return out
}

// flagDetails is where a meaning ends and what one command adds begins.
var flagDetails = regexp.MustCompile(`[:;] | \(`)

func writeFlagRow(t *testing.T, b *strings.Builder, d *documentedFlag) {
	var meanings, more []string
	for _, text := range slices.Sorted(maps.Keys(d.commands)) {
		meaning, details := text, ""
		if at := flagDetails.FindStringIndex(text); at != nil {
			meaning, details = text[:at[0]], strings.TrimLeft(text[at[0]:], ":; ")
		}
		if !slices.Contains(meanings, meaning) {
			meanings = append(meanings, meaning)
		}
		more = append(more, details+": "+strings.Join(d.commands[text], ", "))
	}
	if len(meanings) > 1 {
		t.Errorf("%s means different things: %q; one flag, one meaning", d.forms[0], meanings)
	}
	fmt.Fprintf(b, "| `%s` | %s | %s |\n", strings.Join(d.forms, "`, `"), strings.ReplaceAll(meanings[0], "|", `\|`), strings.ReplaceAll(strings.Join(more, "<br>"), "|", `\|`))
}
