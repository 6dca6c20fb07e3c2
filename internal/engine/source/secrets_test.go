package source

import (
	"strings"
	"testing"

	"gauntlet/sink"
)

func TestFindSecrets(t *testing.T) {
	key := "ghp_" + "x7Kd92LmQpZ4vB8nRt6WyEs3HcJfUa5GoT1i"
	for _, tt := range []struct {
		name, file, text string
		want             int
	}{
		{"in code", "src/a.ts", "const token = \"" + key + "\";", 1},
		{"in a shipped .env", ".env", "GITHUB_TOKEN=" + key + "\n", 1},
		{"in a test", "src/a.test-helper.ts", "const token = \"" + key + "\";", 0},
		{"in an example", ".env.example", "GITHUB_TOKEN=" + key + "\n", 0},
		{"a placeholder", "src/a.ts", "const token = \"ghp_YOUR_TOKEN_HERE\";", 0},
		{"a member of the configuration", "src/a.ts", "const username = auth.username || \"\";\nconst password = config2.auth.password || \"\";\nconfig = {}", 0},
		{"from the environment", "src/a.ts", "const token = process.env.GITHUB_TOKEN;", 0},
		{"behind many lines", "src/a.ts", strings.Repeat("const a = 1; // nothing of interest here\n", 5_000) + "const token = \"" + key + "\";", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := findSecrets([]sink.File{{Path: tt.file, Text: []byte(tt.text)}}, nil)
			if len(got) != tt.want {
				t.Fatalf("got %+v, want %d", got, tt.want)
			}
			for _, s := range got {
				if at := strings.Index(tt.text, key); s.At.Start != at || s.At.Line != strings.Count(tt.text[:at], "\n")+1 {
					t.Errorf("got %+v, want it at %d", s.At, at)
				}
			}
		})
	}
}
