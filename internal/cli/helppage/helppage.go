// Package helppage writes what --help prints: examples before details, wrapped to a width.
package helppage

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/report"
)

// Width is the width of help without a terminal, in columns.
const Width = 80

// narrowest and widest bound the width of help on a terminal. Longer lines are hard to read.
const narrowest, widest = 40, 100

// Columns returns the width of help on a terminal of so many columns; 0 means no terminal.
func Columns(terminal int) int {
	if terminal > 0 {
		return min(max(terminal, narrowest), widest)
	}
	return Width
}

// Write writes a command's help, examples before details.
func Write(w io.Writer, c *cobra.Command, columns int) {
	var b strings.Builder
	if c.HasParent() && c.Short != "" {
		b.WriteString(wrapText(c.Short+".", columns) + "\n")
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n", usageLine(c))
	if c.HasExample() {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(c.Example) {
			b.WriteString(wrapCommand(strings.TrimRight(line, "\n"), columns))
		}
	}
	if c.Long != "" {
		b.WriteString("\n" + wrapText(c.Long, columns))
	}
	writeCommands(&b, c, columns)
	writeFlags(&b, c.LocalFlags(), "Flags", columns)
	writeFlags(&b, c.InheritedFlags(), "Flags of every command", columns)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help describes one command.\n", c.CommandPath())
	}
	_, _ = io.WriteString(w, b.String()) // nobody reads help that cannot be written
}

func usageLine(c *cobra.Command) string {
	if !c.HasParent() {
		return c.Name() + " COMMAND [flags]"
	}
	return c.UseLine()
}

// writeCommands lists the commands below c by group.
func writeCommands(b *strings.Builder, c *cobra.Command, columns int) {
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands:"}}
	}
	for _, g := range groups {
		var rows []row
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.GroupID == g.ID {
				rows = append(rows, row{sub.Name(), sub.Short})
			}
		}
		if len(rows) > 0 {
			b.WriteString("\n" + g.Title + "\n")
			writeRows(b, rows, columns)
		}
	}
}

// writeFlags lists flags, each with its meaning on the following lines.
func writeFlags(b *strings.Builder, flags *pflag.FlagSet, title string, columns int) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	var named []string
	flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
			return
		case f.Annotations[onlyNamed] != nil:
			named = append(named, "--"+f.Name)
			return
		}
		b.WriteString("  " + FlagName(f) + "\n")
		for _, line := range wrapWords(FlagMeaning(f), columns-6) {
			b.WriteString("      " + line + "\n")
		}
	})
	if named != nil {
		b.WriteString("\n" + wrapText("Further flags, which are rather set in a file (--settings); docs/flags.md describes them:", columns))
		for _, line := range wrapWords(strings.Join(named, ", "), columns-2) {
			b.WriteString("  " + line + "\n")
		}
	}
}

// onlyNamed marks flags that help names and does not describe.
const onlyNamed = "gauntlet_only_named"

// OnlyName has the help of root and of each command below describe at most so many flags, and only name others of those listed, in
// their order. Declared flags keep their order only if it was chosen before.
func OnlyName(root *cobra.Command, names []string, most int) {
	shown := 2 // --help and --settings
	root.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			shown++
		}
	})
	for _, name := range names {
		if shown > most && root.Flags().Lookup(name) != nil {
			_ = root.Flags().SetAnnotation(name, onlyNamed, []string{"true"}) // fails only for a missing flag
			shown--
		}
	}
	for _, c := range root.Commands() {
		OnlyName(c, names, most)
	}
}

// FlagName returns a flag with its short form and value name.
func FlagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value, _ := pflag.UnquoteUsage(f); value != "" {
		name += " " + value
	}
	return name
}

// FlagMeaning returns a flag's meaning and default.
func FlagMeaning(f *pflag.Flag) string {
	_, meaning := pflag.UnquoteUsage(f)
	if strings.Contains(meaning, "default ") || slices.Contains([]string{"", "false", "0", "[]"}, f.DefValue) {
		return meaning
	}
	if f.Value.Type() == "string" {
		return fmt.Sprintf("%s (default %q)", meaning, f.DefValue)
	}
	return meaning + " (default " + f.DefValue + ")"
}

// A row is a name and what it means.
type row struct{ name, meaning string }

func writeRows(b *strings.Builder, rows []row, columns int) {
	widest := 0
	for _, r := range rows {
		widest = max(widest, len(r.name))
	}
	for _, r := range rows {
		for i, line := range wrapWords(r.meaning, columns-widest-4) {
			name := r.name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(b, "  %-*s  %s\n", widest, name, line)
		}
	}
}

// wrapText wraps a text's paragraphs. Lines that begin with a space are kept.
func wrapText(text string, columns int) string {
	var b strings.Builder
	var paragraph []string
	end := func() {
		for _, line := range wrapWords(strings.Join(paragraph, " "), columns) {
			b.WriteString(line + "\n")
		}
		paragraph = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		if paragraph != nil {
			end()
		}
		b.WriteString(line + "\n")
	}
	if paragraph != nil {
		end()
	}
	return b.String()
}

func wrapWords(text string, columns int) []string {
	return report.Wrap(strings.Join(strings.Fields(text), " "), columns)
}

// wrapCommand wraps a command line with backslashes, between words and outside quotes.
func wrapCommand(line string, columns int) string {
	var b strings.Builder
	for len(line) > columns {
		at := lastBreak(line, columns-2)
		if at < 0 {
			break
		}
		b.WriteString(line[:at] + " \\\n")
		line = "      " + line[at+1:]
	}
	return b.String() + line + "\n"
}

// lastBreak returns a command line's last space before a column, outside quotes and after the first word, or -1.
func lastBreak(line string, column int) int {
	at, quote, words := -1, rune(0), false
	for i, r := range line {
		switch {
		case i > column:
			return at
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ' ' && words:
			at = i
		case r != ' ':
			words = true
		}
	}
	return at
}

// examplesTitle begins a text with examples; they end at its first empty line.
const examplesTitle = "Examples:\n"

// SetTexts gives root and the commands below it their examples and details from their files in texts. A command without a file is
// unchanged.
func SetTexts(root *cobra.Command, texts fs.FS) {
	if text, err := fs.ReadFile(texts, TextName(root)); err == nil {
		root.Example, root.Long = splitText(string(text))
	}
	for _, c := range root.Commands() {
		SetTexts(c, texts)
	}
}

// TextName returns the file of a command's text: scan.txt, attack-run.txt, and the program's name for the root.
func TextName(c *cobra.Command) string {
	_, below, found := strings.Cut(c.CommandPath(), " ")
	if !found {
		below = c.Name()
	}
	return "help/" + strings.ReplaceAll(below, " ", "-") + ".txt"
}

// splitText separates a text's leading examples from the details; either may be missing.
func splitText(text string) (examples, details string) {
	text = strings.TrimSuffix(text, "\n")
	rest, found := strings.CutPrefix(text, examplesTitle)
	if !found {
		return "", text
	}
	examples, details, _ = strings.Cut(rest, "\n\n")
	return examples, details
}
