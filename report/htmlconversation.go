package report

import (
	"bufio"
	"io"

	"gauntlet/result"
)

// WriteConversation writes a page that shows a recorded conversation without judging it.
func WriteConversation(w io.Writer, c Conversation) error {
	out := bufio.NewWriterSize(w, 64<<10)
	h := &htmlReport{w: out, r: &result.Report{}, opt: Options{Traces: []Conversation{c}}}
	writeHTMLHead(out, "gauntlet: "+c.File)
	var missing []string
	for _, p := range c.Trace.Problems {
		missing = append(missing, p.Error())
	}
	missing = append(missing, "this recording has not been judged: use gauntlet scan --trace or gauntlet attack judge")
	if err := h.execute("verdict", map[string]any{"Title": c.File, "Class": "open", "Verdict": countNoun(len(c.Trace.Messages), "message") + ", not judged",
		"Exit": "", "Counts": nil, "Missing": missing, "Complete": c.Trace.Unread == 0, "Read": "", "Nav": []navLink{{"conversation-1", "Conversation"}}}); err != nil {
		return err
	}
	_, _ = out.WriteString("<main id=\"main\">\n")
	if err := h.writeSequences(); err != nil {
		return err
	}
	writeHTMLEnd(out, "gauntlet", false)
	return out.Flush()
}
