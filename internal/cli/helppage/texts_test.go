package helppage

import (
	"testing"
	"testing/fstest"

	"github.com/spf13/cobra"
)

func TestSplitText(t *testing.T) {
	for _, tt := range []struct{ name, text, examples, details string }{
		{"both", "Examples:\n  a b\n  c\n\nOne.\n\nTwo.\n", "  a b\n  c", "One.\n\nTwo."},
		{"examples alone", "Examples:\n  a b\n", "  a b", ""},
		{"details alone", "One.\n\nExamples:\n  no head\n", "", "One.\n\nExamples:\n  no head"},
		{"empty", "", "", ""},
	} {
		if examples, details := splitText(tt.text); examples != tt.examples || details != tt.details {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.name, examples, details, tt.examples, tt.details)
		}
	}
}

func TestSetTexts(t *testing.T) {
	root, run, list := &cobra.Command{Use: "program"}, &cobra.Command{Use: "run [flags] FILE"}, &cobra.Command{Use: "list", Long: "As it was."}
	root.AddCommand(run)
	run.AddCommand(list)
	SetTexts(root, fstest.MapFS{
		"help/program.txt": {Data: []byte("Of the program.\n")},
		"help/run.txt":     {Data: []byte("Examples:\n  program run x\n\nOf run.\n")},
	})
	for _, tt := range []struct {
		c              *cobra.Command
		file, ex, long string
	}{
		{root, "help/program.txt", "", "Of the program."},
		{run, "help/run.txt", "  program run x", "Of run."},
		{list, "help/run-list.txt", "", "As it was."},
	} {
		if TextName(tt.c) != tt.file || tt.c.Example != tt.ex || tt.c.Long != tt.long {
			t.Errorf("%s: got %q, %q, %q", tt.c.CommandPath(), TextName(tt.c), tt.c.Example, tt.c.Long)
		}
	}
}
