package syntax

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tree, err := Parse(Python(), []byte("def f(x):\n    return open(x)  # c\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	def := tree.First(0)
	if got := tree.Kind(def) + " " + tree.Text(tree.Field(def, "name")); got != "function_definition f" {
		t.Errorf("got %q", got)
	}
	ret := tree.First(tree.Field(def, "body"))
	if got := tree.Kind(ret); got != "return_statement" {
		t.Errorf("got %q, want the return", got)
	}
}

func TestHostileTextEnds(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"brackets", strings.Repeat("[", 30_000)},
		{"generics", strings.Repeat("a<", 6_000)},
		{"calls", strings.Repeat("f(", 15_000)},
		{"siblings", strings.Repeat("a;", 30_000)},
		{"strings", strings.Repeat("`${", 6_000)},
		{"indents", strings.Repeat("if a:\n ", 6_000)},
		{"nul", strings.Repeat("\x00", 15_000)},
		{"invalid utf-8", strings.Repeat("\xff\xfe{", 6_000)},
	} {
		for name, lang := range map[string]*Language{"py": Python(), "js": JavaScript(), "ts": TypeScript(), "tsx": TSX()} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				tree, err := Parse(lang, []byte(tt.text), nil)
				if (tree == nil) == (err == nil) {
					t.Errorf("want exactly one of tree and error, got %v, %v", tree != nil, err)
				}
			})
		}
	}
}

// TestQuestionsAreLinear: a list of one-digit numbers is the costliest text that is right. A short one stays below the bound, and twice the
// text takes twice the questions.
func TestQuestionsAreLinear(t *testing.T) {
	var asked [2]int // each stands for 256 questions: treesitter/wasm/parse.c asks that often
	for i, n := range []int{64 << 10, 128 << 10} {
		text := "a=[" + strings.Repeat("1,", n/2) + "]"
		if _, err := Parse(JavaScript(), []byte(text), func() bool { asked[i]++; return false }); err != nil {
			t.Errorf("%d bytes: %v after %d questions", n, err, asked[i]*256)
		}
	}
	if asked[0] == 0 || asked[1] > 2*asked[0]+2 || asked[1]*256 > questionsBase+128<<10/bytesPerQuestion {
		t.Errorf("asked %v times 256 questions", asked)
	}
}

func TestStop(t *testing.T) {
	_, err := Parse(JavaScript(), []byte(strings.Repeat("first(second, third);", 100_000)), func() bool { return true })
	if !errors.Is(err, ErrStopped) {
		t.Errorf("got %v, want ErrStopped", err)
	}
}
