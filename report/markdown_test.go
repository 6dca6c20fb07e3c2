package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"gauntlet/finding"
)

// mustBeCode fails unless everything in a page but our own words stands in code spans: the
// page is read with GitHub's extensions, and whatever is shown outside of code is returned
// to be compared.
func mustBeCode(t testing.TB, page string) (shown string, code []string) {
	t.Helper()
	src := []byte(page)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	var out strings.Builder
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			var span strings.Builder
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				span.Write(c.(*ast.Text).Segment.Value(src))
			}
			code = append(code, span.String())
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			out.Write(n.Segment.Value(src))
			out.WriteByte('\n')
		case *ast.Document, *ast.Heading, *ast.List, *ast.ListItem, *ast.TextBlock, *ast.Paragraph, *ast.Emphasis,
			*east.Table, *east.TableHeader, *east.TableRow, *east.TableCell:
		default:
			return ast.WalkStop, fmt.Errorf("a page holds a %s", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatalf("%v:\n%s", err, page)
	}
	return out.String(), code
}

func TestHostileTextStaysInCodeSpans(t *testing.T) {
	honest, _ := mustBeCode(t, render(t, "markdown", stranger("x", 0), Options{}))
	for _, s := range []string{
		hostile, "`", "``", "a`b", "`a", "a`", " ` ", "```\n# x", strings.Repeat("`", 2000), "` `` ``` ```` `", "\\`", "&#96;",
		"@octocat #1 GH-1", "<img src=x onerror=alert(1)>", "<!-- ", "-->", "[a](https://evil.example)", "![](https://evil.example/x.png)", "https://evil.example",
		"a | b", "|---|", "\n\n# heading", "- [x] done", "~~~", "$$x$$", ":tada:", " ", "  ", "a\r\nb", "*_~", "[^1]", "</details>",
	} {
		page := render(t, "markdown", stranger(s, 0), Options{})
		mustBeCalm(t, page, false)
		if shown, _ := mustBeCode(t, page); shown != honest {
			t.Errorf("%q is shown outside of code:\n%s\nfor an honest server:\n%s", s, shown, honest)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	seed(f)
	f.Add("` `` ```", 0)
	f.Fuzz(func(t *testing.T, s string, offset int) {
		if s == "" {
			return // lines without text are left out
		}
		r := stranger(s, offset)
		r.Findings = append(r.Findings, r.Findings[0])
		page := render(t, "markdown", r, Options{})
		mustBeCalm(t, page, false)
		plain := stranger("x", offset)
		plain.Findings = append(plain.Findings, plain.Findings[0])
		honest, _ := mustBeCode(t, render(t, "markdown", plain, Options{}))
		if shown, _ := mustBeCode(t, page); shown != honest {
			t.Errorf("%q is shown outside of code:\n%s", s, shown)
		}
		if len(page) > markdownLimit {
			t.Errorf("%d bytes, more than %d", len(page), markdownLimit)
		}
	})
}

// A code span shows the text that was meant, and none that was not.
func TestCodeSpan(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain", "`plain`"},
		{"a`b", "``a`b``"},
		{"`a", "`` `a ``"},
		{"a```b", "````a```b````"},
		{"a````b", "`a<U+0060><U+0060><U+0060><U+0060>b`"},
		{" a ", "`  a  `"},
		{" a", "` a`"},
		{"", "`  `"},
		{"a\nb", "`a<U+000A>b`"},
	} {
		if got := codeSpan(tt.in, 100); got != tt.want {
			t.Errorf("codeSpan(%q) = %s, want %s", tt.in, got, tt.want)
		}
		_, code := mustBeCode(t, "- why: "+codeSpan(tt.in, 100)+" end\n")
		want := strings.ReplaceAll(Visible(tt.in), "````", strings.Repeat("<U+0060>", 4))
		if len(code) != 1 || strings.TrimSpace(code[0]) != strings.TrimSpace(want) {
			t.Errorf("codeSpan(%q) is read as %q, want %q", tt.in, code, want)
		}
	}
}

func TestMarkdownFitsAComment(t *testing.T) {
	r := big(2_000)
	r.Findings[1999].Severity, r.Findings[1999].Fingerprint = finding.Critical, "the worst"
	for i := range r.Findings[:1999] {
		r.Findings[i].Severity = finding.Low
	}
	p := r.Problems[0]
	for range 1_000 {
		r.Problems = append(r.Problems, p)
	}
	for len(r.Suppressed) < 1_000 {
		r.Suppressed = append(r.Suppressed, r.Suppressed...)
		r.Suppressions = append(r.Suppressions, r.Suppressions...)
	}
	page := render(t, "markdown", r, Options{})
	if n := len(page); n > markdownLimit || n < markdownLimit/2 {
		t.Errorf("%d bytes, want many and at most %d", n, markdownLimit)
	}
	for _, want := range []string{"gauntlet: 2,000 findings", "reasons not shown: a comment has at most 65,536 characters", " findings not shown", "suppressed findings not shown", "suppressions not shown", "`the worst`"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
