package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"gauntlet/internal/leaf/yamltext"
)

// ErrShape means that Add cannot extend the policy's layout, such as a list in brackets. The entry must be added by hand.
var ErrShape = errors.New("the list is not written one entry below the other")

// Add returns the text of a policy with e added: in place of the entry with the same fingerprint and content, otherwise
// of one in stale (line numbers of entries), otherwise after the last. The rest stays byte for byte; comments on their
// own lines within a replaced entry stay. The policy must parse without problems.
func Add(text string, e Entry, stale ...int) (string, error) {
	old, problems := Parse("", text)
	switch {
	case len(problems) > 0:
		return "", fmt.Errorf("line %d: %s", problems[0].Location.Line, problems[0].Message)
	case e.fault() != "":
		return "", errors.New(e.fault())
	}
	at := slices.IndexFunc(old.Entries, func(o Entry) bool { return o.key() == e.key() })
	if at < 0 {
		at = slices.IndexFunc(old.Entries, func(o Entry) bool { return slices.Contains(stale, o.Line) })
	}
	var out string
	switch {
	case at >= 0:
		out = replace(text, &old.Entries[at], &e)
	case len(old.Entries) > 0:
		last := &old.Entries[len(old.Entries)-1]
		out = insert(text, last.end(text), e.lines(indentOf(text, last.Line)))
	default:
		out = begin(text, &e)
	}
	want := slices.Clone(old.Entries)
	if at >= 0 {
		want[at] = e
	} else {
		want = append(want, e)
	}
	// The edit was textual, so verify that it parses as intended.
	if got, problems := Parse("", out); len(problems) > 0 || !same(got.Entries, want) {
		return "", ErrShape
	}
	return out, nil
}

// same compares entries, ignoring lines.
func same(a, b []Entry) bool {
	return slices.EqualFunc(a, b, func(x, y Entry) bool {
		x.Line, x.column, x.last = 0, 0, 0
		y.Line, y.column, y.last = 0, 0, 0
		return x == y
	})
}

// end returns the line after an entry in block style: the first line after its last value that is indented no deeper
// than its dash, without preceding blank lines.
func (e *Entry) end(text string) int {
	lines := strings.Split(text, "\n")
	end := e.last + 1
	for at := end; at <= len(lines); at++ {
		inner := strings.TrimLeft(lines[at-1], " ")
		switch {
		case strings.TrimSpace(inner) == "":
		case len(lines[at-1])-len(inner) < e.column-1:
			return end
		default:
			end = at + 1
		}
	}
	return end
}

// lines writes an entry whose dash is indented by indent.
func (e *Entry) lines(indent string) []string {
	var out []string
	for _, k := range keys {
		v := map[string]string{
			"fingerprint": e.Fingerprint, "rule": string(e.Rule), "definition": e.Definition, "reason": e.Reason,
			"owner": e.Owner, "expires": string(e.Expires), "content_hash": e.Content,
		}[k]
		if v == "" {
			continue
		}
		lead := indent + "  "
		if out == nil {
			lead = indent + "- "
		}
		out = append(out, lead+k+": "+quoteYAML(v)+"\n")
	}
	return out
}

// indentOf returns the indentation of the entry's dash.
func indentOf(text string, line int) string {
	l := strings.Split(text, "\n")[line-1]
	return l[:len(l)-len(strings.TrimLeft(l, " "))]
}

func insert(text string, before int, lines []string) string {
	all := strings.SplitAfter(text, "\n")
	at := min(before-1, len(all))
	head := strings.Join(all[:at], "")
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + strings.Join(lines, "") + strings.Join(all[at:], "")
}

// replace writes e over old and keeps the comments inside it.
func replace(text string, old, e *Entry) string {
	all := strings.SplitAfter(text, "\n")
	end := min(old.end(text)-1, len(all))
	lines := e.lines(indentOf(text, old.Line))
	for _, l := range all[old.Line-1 : end] {
		if strings.HasPrefix(strings.TrimSpace(l), "#") {
			lines = append(lines, strings.TrimRight(l, "\r\n")+"\n")
		}
	}
	return insert(strings.Join(slices.Concat(all[:old.Line-1], all[end:]), ""), old.Line, lines)
}

// begin adds the first entry, and the list if there is none.
func begin(text string, e *Entry) string {
	lines := e.lines("  ")
	root, err := yamltext.Document(text, "a policy", MaxBytes)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return insert(text, len(text)+1, append([]string{"suppressions:\n"}, lines...))
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if k, v := root.Content[i], root.Content[i+1]; k.Value == "suppressions" {
			all := strings.SplitAfter(text, "\n")
			if v.Kind == yaml.SequenceNode { // empty, in brackets
				all[k.Line-1] = strings.Replace(all[k.Line-1], "[]", "", 1)
			}
			return insert(strings.Join(all, ""), k.Line+1, lines)
		}
	}
	return insert(text, len(text)+1, append([]string{"suppressions:\n"}, lines...))
}

// quoteYAML double-quotes a YAML string and escapes every invisible character, so that reviewers see everything.
func quoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
