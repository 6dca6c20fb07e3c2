package config_test

import (
	"strings"
	"testing"

	"gauntlet/internal/engine/check/config"
)

func TestRunsPackage(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    string // ecosystem, package, arguments; "" for none
	}{
		{"npx -y some-mcp@1.2.3 --stdio /tmp", "npm some-mcp@1.2.3 --stdio /tmp"},
		{"npx --package=some-mcp@1.2.3 start --stdio", "npm some-mcp@1.2.3 --stdio"},
		{"npx -p some-mcp start --stdio", "npm some-mcp --stdio"},
		{"uvx some-mcp --stdio", "pypi some-mcp --stdio"},
		{"uvx --from some-mcp==1.2 start", "pypi some-mcp==1.2"},
		{"docker run -i --rm example/mcp:1.0 --stdio", "oci example/mcp:1.0 --stdio"},
		{"go run example.com/m@v1.0.0 -x", "go example.com/m@v1.0.0 -x"},
		{"node server.js", ""},
		{"npx ./local", ""},
		{"uvx --with one two", ""},
	} {
		t.Run(tt.command, func(t *testing.T) {
			words := strings.Fields(tt.command)
			e := config.Entry{Command: words[0]}
			for _, a := range words[1:] {
				e.Args = append(e.Args, config.NewValue(a, config.Place{}))
			}
			got := ""
			if run, ok := config.RunsPackage(&e); ok {
				got = strings.TrimSpace(run.Ecosystem + " " + run.Text + " " + strings.Join(run.Args, " "))
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
