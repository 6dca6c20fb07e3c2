package cli

import (
	"slices"

	"gauntlet/internal/run/tracefile"
	"gauntlet/report"
)

// wantsPage reports whether any of the reports is a page, which shows more than a report holds.
func wantsPage(outs []output) bool {
	return slices.ContainsFunc(outs, func(o output) bool { return o.format.Name == "html" })
}

// maxPageTraces is how many recordings are read again for the diagrams of one page.
const maxPageTraces = 12

// readConversations reads recordings for the diagrams of a page. One that cannot be read is left
// out and said: the report has been made without it.
func (a *app) readConversations(names []string) (out []report.Conversation) {
	for _, name := range slices.Compact(names) {
		if name == "" || name == "-" || len(out) == maxPageTraces {
			continue
		}
		t, _, err := tracefile.ReadConversation(name, nil)
		if err != nil {
			a.note("%s is not drawn: %s", name, err)
			continue
		}
		out = append(out, report.Conversation{File: name, Trace: t})
	}
	return out
}
