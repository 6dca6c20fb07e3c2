package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/oatf"
)

func (a *app) attackCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "attack",
		Short: "Work with attack documents (OATF)",
		Long: `attack works with documents of the Open Agent Threat Format: what an adversarial
server or client shows to an agent, phase by phase, and the signs that the agent
fell for it.`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			return usage(c, "no command: want %s", commandNames(c))
		},
	}
	cmd.AddCommand(a.attackValidateCommand(), a.attackFmtCommand(), a.attackShowCommand(), a.attackSchemaCommand())
	return cmd
}

func (a *app) attackSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of attack documents",
		Long: `schema prints the JSON Schema (draft 2020-12) of attack documents, for editors. It knows
less than validate: not which names must differ or exist, and not the languages inside
strings.`,
		Example: "  gauntlet attack schema > oatf.schema.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			return a.writeTo("-", func(w io.Writer) error {
				_, err := io.WriteString(w, oatf.Schema())
				return err
			})
		},
	}
}

// attackLimits bound what is read of one document.
type attackLimits struct{ oatf.Limits }

func (l *attackLimits) flags(cmd *cobra.Command) {
	l.Limits = oatf.DefaultLimits()
	cmd.Flags().Var(size(&l.Bytes, l.Bytes), "max-bytes", "longest document")
}

// An attackText is one document as it lies there, or why it could not be read.
type attackText struct {
	name, text string
	err        error
}

// attackTexts reads the documents that the arguments name: files, - for standard input,
// and directories, of which every .yaml and .yml below counts, in the order of their names.
func (a *app) attackTexts(ctx context.Context, args []string, l *attackLimits) ([]attackText, error) {
	return interruptible(ctx, func() []attackText {
		var all []attackText
		for _, arg := range args {
			names, err := documentsAt(arg)
			if err != nil {
				all = append(all, attackText{name: arg, err: err})
			}
			for _, name := range names {
				text, err := a.readText(name, l.Bytes)
				if errors.Is(err, errEmpty) {
					err = nil // it can be read: it is no document
				}
				if err != nil {
					err = reason(err)
				}
				all = append(all, attackText{name, text, err})
			}
		}
		return all
	})
}

// documentsAt returns the files that an argument stands for.
func documentsAt(arg string) ([]string, error) {
	if info, err := os.Stat(arg); arg == "-" || err != nil || !info.IsDir() {
		return []string{arg}, nil // reading it will say what is wrong
	}
	var names []string
	err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
		switch ext := strings.ToLower(filepath.Ext(path)); {
		case err != nil:
			return err
		case d.IsDir() && path != arg && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.Type().IsRegular() && (ext == ".yaml" || ext == ".yml"):
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		return nil, reason(err)
	}
	if len(names) == 0 {
		return nil, errors.New("the directory holds no .yaml file")
	}
	slices.Sort(names)
	return names, nil
}

// wantDocuments refuses a command line without documents, or with standard input twice.
func wantDocuments(cmd *cobra.Command, args []string) error {
	stdin := 0
	for _, arg := range args {
		if arg == "-" {
			stdin++
		}
	}
	switch {
	case len(args) == 0:
		return usage(cmd, "no document: name a file or a directory")
	case stdin > 1:
		return usage(cmd, "- is named %d times: standard input can be read once", stdin)
	}
	return nil
}

// unreadable is how a document that could not be read is told.
func (t *attackText) unreadable() string { return fmt.Sprintf("%s: %v", t.name, t.err) }
