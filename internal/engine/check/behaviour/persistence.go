package behaviour

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/startup"
	"gauntlet/trace"
)

var _ = register(check.Check{
	ID: "GNT-503", Name: "startup-file-written", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 weak, ASI05 weak, CWE-506 close, L3 close, L4 weak",
	Axis:     "persistence", Needs: check.Observed, Source: source,
	Doc: `A server in a sandbox wrote a file that other programs run or trust automatically: a shell profile, SSH
authorized keys, a systemd unit, an autostart entry, a crontab, git hooks or git configuration, or the
configuration of an MCP client. Through such a file the server can start again or start other programs. The
file was a private copy and is gone; outside of a sandbox it would have been the user's.

Not reported: every other file that is written, which is recorded as an event. If a call asked the tool to
write that very file, the message names the call.`,
	Advice: "Look at what was written. An installer has a reason to write such a file, and asks first; a server does not.",
	Run: func(p *check.Pass) {
		told := filesInCalls(p)
		reportEvents(p, func(e *observed) (message string, identity []string) {
			what := startup.What(e.path)
			if e.kind != "file_change" || what == "" || strings.HasPrefix(e.text, "deleted") ||
				slices.ContainsFunc(told, func(end string) bool { return strings.HasSuffix(e.path, end) }) {
				return "", nil
			}
			return fmt.Sprintf("%s wrote %s, %s", e.server(), quoted(e.path), what), []string{e.path}
		})
	},
})

// filesInCalls returns the path suffixes of startup files that calls asked to write: a tool that does as told is no
// finding. The folder counts, since words like "config" are common in calls.
func filesInCalls(p *check.Pass) (out []string) {
	for i := range p.Trace.Messages {
		m := &p.Trace.Messages[i]
		if m.Method != "tools/call" || m.Kind != trace.Request {
			continue
		}
		for _, s := range startup.Places {
			for _, end := range s.Ends {
				if strings.Contains(m.Raw, end[1:]) && !slices.Contains(out, end) {
					out = append(out, end)
				}
			}
		}
	}
	return out
}
