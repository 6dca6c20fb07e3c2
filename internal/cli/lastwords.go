package cli

import (
	"fmt"
	"strings"

	"gauntlet/internal/wire"
	"gauntlet/report"
)

const (
	stderrLines = 20 // of a failed server's last words that are shown
	stderrWidth = 300
)

// lastWords notes the end of a failed server's stderr, apart from our own words.
func (got *captured) lastWords(live liveServer) {
	server, ok := live.(*wire.Process)
	if !ok {
		return // a server behind a URL has no stderr of ours
	}
	text, before := server.Stderr()
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	title := "what the server wrote to its stderr:"
	if before > 0 || len(lines) > stderrLines {
		lines = lines[max(0, len(lines)-stderrLines):]
		title = fmt.Sprintf("the last %d lines that the server wrote to its stderr:", len(lines))
	}
	got.notes = append(got.notes, note{text: title})
	for _, l := range lines {
		got.notes = append(got.notes, note{clip(strings.TrimRight(l, "\r"), stderrWidth), true})
	}
}

// firstOf quotes the first of a server's lines at the end of a message.
func firstOf(lines []string, redact func(string) string) string {
	if len(lines) == 0 {
		return ""
	}
	return ", the first: " + clip(redact(lines[0]), 120)
}

// clip shortens a stranger's line, by characters as it is shown.
func clip(s string, n int) string {
	r := []rune(report.Visible(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "…"
}
