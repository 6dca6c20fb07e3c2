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

	"gauntlet/attacks"
	"gauntlet/internal/near"
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
	cmd.AddCommand(a.attackRunCommand(), a.attackBridgeCommand(), a.attackListCommand(), a.attackWireCommand(), a.attackValidateCommand(), a.attackFmtCommand(), a.attackShowCommand(), a.attackSchemaCommand(), a.attackJudgeCommand(), a.attackFromScanCommand(), a.attackReplayCommand())
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
	builtIn    bool // it is no file
	err        error
}

// attackTexts reads the documents that the arguments name: files, - for standard input,
// directories, of which every .yaml and .yml below counts, in the order of their names, and
// those that are built in.
func (a *app) attackTexts(ctx context.Context, args []string, l *attackLimits) ([]attackText, error) {
	return interruptible(ctx, func() []attackText {
		var all []attackText
		for _, arg := range args {
			for _, t := range documentsAt(arg) {
				if t.err == nil {
					t.text, t.builtIn, t.err = a.openAttack(t.name, l)
				}
				if errors.Is(t.err, errEmpty) {
					t.err = nil // it can be read: it is no document
				}
				if t.err != nil {
					t.err = reason(t.err)
				}
				all = append(all, t)
			}
		}
		return all
	})
}

// openAttack reads one document: a file, or where there is none of this name, the one that
// is built in under it.
func (a *app) openAttack(name string, l *attackLimits) (text string, builtIn bool, err error) {
	if _, err := os.Stat(name); name == "-" || !errors.Is(err, fs.ErrNotExist) {
		text, err = a.readText(name, l.Bytes)
		return text, false, err
	}
	if own, ok := attacks.Text(name); ok {
		return own, true, nil
	}
	if strings.ContainsAny(name, `/\.`) {
		text, err = a.readText(name, l.Bytes) // which says what is missing
		return text, false, err
	}
	return "", false, errors.New("no such file, and no attack of this name is built in" + near.Question(near.Names(name, attacks.Names()), ""))
}

// documentsAt returns the files that an argument stands for, yet to be read, and what of a
// directory cannot be.
func documentsAt(arg string) []attackText {
	if info, err := os.Stat(arg); arg == "-" || err != nil || !info.IsDir() {
		return []attackText{{name: arg}} // reading it will say what is wrong
	}
	root, err := os.OpenRoot(arg)
	if err != nil {
		return []attackText{{name: arg, err: err}}
	}
	defer root.Close()
	var all []attackText
	// An error of one directory is told and the others are read; so no error ends the walk.
	_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		name := filepath.Join(arg, path)
		switch ext := strings.ToLower(filepath.Ext(path)); {
		case err != nil:
			all = append(all, attackText{name: name, err: err})
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || ext != ".yaml" && ext != ".yml":
		case d.Type() == fs.ModeSymlink:
			all = append(all, linkedDocument(root, path, name)...)
		default:
			all = append(all, attackText{name: name})
		}
		return nil
	})
	if len(all) == 0 {
		return []attackText{{name: arg, err: errors.New("the directory holds no .yaml file")}}
	}
	slices.SortFunc(all, func(a, b attackText) int { return strings.Compare(a.name, b.name) })
	return all
}

// errLeadsOut is for a symbolic link that a directory holds. One that leads out of it is not
// followed, as reports quote what they read and a stranger may have put the link there.
var errLeadsOut = errors.New("it is a symbolic link to no file of the directory: name the file to have it read")

// linkedDocument returns what a link in a directory stands for: a file of the directory, or
// nothing if it leads to a part of it, whose files are read where they are.
func linkedDocument(root *os.Root, link, name string) []attackText {
	switch info, err := root.Stat(link); {
	case err != nil:
		return []attackText{{name: name, err: errLeadsOut}}
	case info.IsDir():
		return nil
	}
	return []attackText{{name: name}}
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
