// Package attackdoc reads the attack documents a user names, and shows their errors, a summary, and the list of built-in ones.
package attackdoc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/attacks"
	"gauntlet/internal/engine/fromscan"
	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/leaf/suggest"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/userfile"
	"gauntlet/oatf"
)

// A Text is the text of one document, or why it could not be read.
type Text struct {
	Name, Text string
	BuiltIn    bool // not a file
	Err        error
}

// Read reads the documents that args name: files, - for standard input, directories (every .yaml and .yml below, sorted by name),
// and built-in ones.
func Read(ctx context.Context, args []string, stdin io.Reader, limits oatf.Limits) ([]Text, error) {
	return interrupt.Do(ctx, func() []Text {
		var all []Text
		for _, arg := range args {
			for _, t := range filesAt(arg) {
				if t.Err == nil {
					t.Text, t.BuiltIn, t.Err = readOne(t.Name, stdin, limits.Bytes)
				}
				if errors.Is(t.Err, userfile.ErrEmpty) {
					t.Err = nil // readable, but no document
				}
				if t.Err != nil {
					t.Err = userfile.Reason(t.Err)
				}
				all = append(all, t)
			}
		}
		return all
	})
}

// readOne reads one document: a file or, if there is none, the built-in one of that name.
func readOne(name string, stdin io.Reader, limit int) (text string, builtIn bool, err error) {
	if _, err := os.Stat(name); name == "-" || !errors.Is(err, fs.ErrNotExist) {
		text, err = userfile.ReadText(name, stdin, limit)
		return text, false, err
	}
	if own, ok := attacks.Text(name); ok {
		return own, true, nil
	}
	if strings.ContainsAny(name, `/\.`) {
		text, err = userfile.ReadText(name, stdin, limit) // it reports what is missing
		return text, false, err
	}
	question := cmp.Or(suggest.Question(suggest.Names(name, attacks.Names()), ""), "; gauntlet attack list shows the built-in attacks")
	return "", false, errors.New("no such file, and no built-in attack of this name" + question)
}

// filesAt returns the files an argument stands for, to be read later, and errors of a directory.
func filesAt(arg string) []Text {
	if info, err := os.Stat(arg); arg == "-" || err != nil || !info.IsDir() {
		return []Text{{Name: arg}} // reading it will report what is wrong
	}
	root, err := os.OpenRoot(arg)
	if err != nil {
		return []Text{{Name: arg, Err: err}}
	}
	defer root.Close()
	var all []Text
	// An error in one directory is recorded and the others are read, so the walk never fails.
	_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		name := filepath.Join(arg, path)
		switch ext := strings.ToLower(filepath.Ext(path)); {
		case err != nil:
			all = append(all, Text{Name: name, Err: err})
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || ext != ".yaml" && ext != ".yml":
		case d.Type() == fs.ModeSymlink:
			all = append(all, linkedDocument(root, path, name)...)
		default:
			all = append(all, Text{Name: name})
		}
		return nil
	})
	if len(all) == 0 {
		return []Text{{Name: arg, Err: errors.New("the directory holds no .yaml file")}}
	}
	slices.SortFunc(all, func(a, b Text) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// errLeadsOut concerns a symbolic link out of a named directory. It is not followed: reports quote what they read, and a stranger
// may have placed the link.
var errLeadsOut = errors.New("it is a symbolic link that leads out of the directory or to nothing: name the file itself to read it")

// linkedDocument returns the file of the directory that a link leads to, or nothing for a directory, whose files are read where
// they are.
func linkedDocument(root *os.Root, link, name string) []Text {
	switch info, err := root.Stat(link); {
	case err != nil:
		return []Text{{Name: name, Err: errLeadsOut}}
	case info.IsDir():
		return nil
	}
	return []Text{{Name: name}}
}

// Unreadable says why the document could not be read.
func (t *Text) Unreadable() string { return fmt.Sprintf("%s: %v", t.Name, t.Err) }

// Parse returns the document if it is valid; the error is its first fault.
func (t *Text) Parse(limits oatf.Limits) (*oatf.Document, error) {
	d, err := limits.Parse(t.Text)
	var errs oatf.Errors
	if err == nil {
		errs = oatf.Validate(d).Errors
	} else {
		errors.As(err, &errs)
	}
	if len(errs) == 0 {
		return d, nil
	}
	return nil, fmt.Errorf("%s: not valid: %v%s; gauntlet attack validate shows all of it", t.Name, errs[0], andMoreErrors(len(errs)-1))
}

func andMoreErrors(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// Load returns a valid, normalized document, or why there is none.
func (t *Text) Load(limits oatf.Limits) (*oatf.Document, string) {
	if t.Err != nil {
		return nil, "it cannot be read: " + t.Err.Error()
	}
	d, err := t.Parse(limits)
	if err != nil {
		return nil, err.Error()
	}
	return oatf.Normalize(d), ""
}

// Playable returns the readable documents for which holds is true.
func Playable(texts []Text, limits oatf.Limits, holds func(*oatf.Document) bool) (docs []*oatf.Document) {
	for _, t := range texts {
		if d, problem := t.Load(limits); problem == "" && holds(d) {
			docs = append(docs, d)
		}
	}
	return docs
}

// Canonical returns a document's canonical form, and the number of comments it loses. An error says why there is none.
func (t *Text) Canonical(limits oatf.Limits) (canonical string, comments int, err error) {
	d, err := t.Parse(limits)
	if err != nil {
		return "", 0, err
	}
	canonical = oatf.Serialize(d)
	// It is longer and more deeply nested than the original.
	if _, err := limits.Parse(canonical); err != nil {
		return "", 0, fmt.Errorf("%s: its canonical form is beyond the limits, so it could not be read again: %w", t.Name, err)
	}
	return canonical, d.Comments(), nil
}

// ExpandPatterns replaces patterns by the matching files, sorted by name.
func ExpandPatterns(names []string) ([]string, error) {
	var out []string
	for _, n := range names {
		if _, err := os.Stat(n); err == nil || !strings.ContainsAny(n, "*?[") {
			out = append(out, n)
			continue
		}
		found, err := filepath.Glob(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		if found == nil {
			return nil, fmt.Errorf("%s: no file fits the pattern", n)
		}
		out = append(out, found...)
	}
	return out, nil
}

// Prompt returns the user's text in a document: the messages of role user of its first AG-UI actor that has any, one paragraph
// each; or "".
func Prompt(doc *oatf.Document) string {
	for i := range doc.Attack.Execution.Actors {
		a := &doc.Attack.Execution.Actors[i]
		if a.Mode != "ag_ui_client" {
			continue
		}
		var said []string
		for p := range a.Phases {
			for _, m := range a.Phases[p].State.Get("run_agent_input").Get("messages").Elements() {
				if text := agui.SaidIn(m.Get("content")); m.Get("role").Is("user") && text != "" {
					said = append(said, text)
				}
			}
		}
		if said != nil {
			return strings.Join(said, "\n\n")
		}
	}
	return ""
}

// WriteDrafts writes each document to its own new file.
func WriteDrafts(dir string, drafts []fromscan.Draft, say func(format string, args ...any)) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", dir, userfile.Reason(err))
	}
	for _, d := range drafts {
		name := filepath.Join(dir, d.Name)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("%s: %w", name, userfile.Reason(err))
		}
		_, err = io.WriteString(f, oatf.Serialize(d.Document))
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, userfile.Reason(err))
		}
		say("wrote %s: %s", name, d.Document.Attack.Name)
	}
	return nil
}
