package helppage

import (
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

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
