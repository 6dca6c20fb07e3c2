package discover

import (
	"strings"
	"testing"

	"gauntlet/internal/engine/check/config"
)

func TestReadEnv(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "A=1\nB = two words \n", "A=1|B=two words"},
		{"comments and empty lines", "# x\n\n  # y\nA=1 # one\nB=a#b", "A=1|B=a#b"},
		{"export", "export A=1\r\nexport B=2\r\n", "A=1|B=2"},
		{"double quotes", `A="a \"b\" \\ c # d" # e`, `A=a "b" \ c # d`},
		{"line breaks in quotes", `A="x\ny"`, "A=x\ny"},
		{"single quotes", `A='a\nb "c"'`, `A=a\nb "c"`},
		{"empty", "A=\nB=\"\"", "A=|B="},
		{"more equals signs", "A=b=c", "A=b=c"},
		{"byte order mark", "\ufeffA=1", "A=1"},
		{"nothing is expanded", "A=$B`x`${C}", "A=$B`x`${C}"},
		{"no assignment", "A", "bad"},
		{"no name", "=x", "bad"},
		{"a quote that is not closed", `A="x`, "bad"},
		{"text behind a quote", `A="x" y`, "bad"},
		{"a NUL", "A=\x00", "bad"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			vars, ok := readEnv(tt.text, config.Place{})
			var got []string
			for _, v := range vars {
				got = append(got, v.Name+"="+v.Value.Reveal())
			}
			if !ok {
				got = []string{"bad"}
			}
			if strings.Join(got, "|") != tt.want {
				t.Errorf("readEnv(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// What is read has a name, and neither part can end an environment's entry early.
func FuzzReadEnv(f *testing.F) {
	f.Add("export A=\"x\\n\" # y\nB='2'\n")
	f.Fuzz(func(t *testing.T, text string) {
		vars, ok := readEnv(text, config.Place{})
		if !ok && vars != nil {
			t.Fatal("variables of a file that cannot be read")
		}
		for _, v := range vars {
			if v.Name == "" || strings.ContainsAny(v.Name, "=\x00\n") || strings.Contains(v.Value.Reveal(), "\x00") {
				t.Fatalf("%q: the variable %q", text, v.Name)
			}
		}
	})
}
