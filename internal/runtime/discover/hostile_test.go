package discover

import (
	"context"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/engine/check/config"
)

// A project's configuration is a stranger's text. Reading and judging it takes time
// linear in it: the deadline is far above what these need, and far below a square.
func TestHostileTextsAreQuick(t *testing.T) {
	const n = 1 << 16
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for _, part := range []string{"${", "${{", "{env:", "$A", "%A", "://", "http://a@", "?token=", "a=", "'", "curl ", "| ", "-e ", "x ", `\\`, "/"} {
		value := strings.Repeat(part, n/len(part))
		text := `{"mcpServers":{"a":{"command":"sh","args":["-c","` + value + `"],"env":{"A_TOKEN":"` + value + `"},"url":"http://` + value + `","headers":{"Authorization":"` + value + `"}},"b":{"command":"` + value + `"}}}`
		f := Read("mcp.json", []byte(text), Hint{})
		if len(f.Entries) != 2 || len(f.Problems) == 0 && len(value) > config.MaxJudged {
			t.Fatalf("%q: %d entries, %v", part, len(f.Entries), f.Problems)
		}
		config.Run([]config.File{f}, config.Checks())
		for i := range f.Entries {
			_, _ = f.Entries[i].CommandLine(), f.Entries[i].Address()
			Host{OS: "linux"}.Resolve(f.Entries[i])
		}
		if ctx.Err() != nil {
			t.Fatalf("%q repeated takes too long", part)
		}
	}
}
