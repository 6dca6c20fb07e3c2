package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"gauntlet/finding"
	"gauntlet/rawjson"
	"gauntlet/result"
	"gauntlet/trace"
)

const (
	maxFlows    = 80  // of the diagram, which is unreadable beyond that; the findings have all
	maxArrows   = 400 // messages of a diagram
	maxDiagrams = 12  // conversations on a page
)

// A flowEnd is one end of a flow: a tool, a server, or the agent.
type flowEnd struct{ name, server string }

// flowRow is a row of a path that data can take or took. link is the address of the finding that reports it, "" for none.
func flowRow(from, to flowEnd, what, why, link string) row {
	one := row{Title: from.name, Text: why}
	for _, f := range []field{{Label: "From", Text: from.server, Tone: toneSoft}, {Label: "To", Text: to.name}, {Label: "To", Text: to.server, Tone: toneSoft}, {Label: "What", Text: what, Link: link}} {
		if f.Text != "" {
			one.Fields = append(one.Fields, f)
		}
	}
	return one
}

// flowSection shows the flows that findings report.
func flowSection(r *result.Report) section {
	s := section{ID: "flows", Title: "What can flow where", Lines: true, PageOnly: true, Figure: true, Heads: []string{"", "From", "To", "What"}}
	var rows []row
	ids := findingIDs(r.Findings)
	for _, i := range severestFirst(r.Findings) {
		f := &r.Findings[i]
		for k := range f.Related {
			here, there := endOf(&f.Location), endOf(&f.Related[k])
			switch f.Rule.Base() {
			case "SEC-035":
				rows = append(rows, flowRow(here, there, string(f.Rule), f.Message, "#"+ids[i]))
			case "SEC-060":
				rows = append(rows, flowRow(there, here, string(f.Rule), f.Message, "#"+ids[i]))
			}
		}
	}
	if len(rows) > maxFlows {
		rows = rows[:maxFlows]
		s.Intro = []string{"Further flows are omitted; the findings list them."}
	}
	return listRows(s, rows)
}

// endOf returns the tool of a location; for a message that is its tool, not its method.
func endOf(l *finding.Location) flowEnd {
	name := l.Item
	if l.Seq > 0 {
		if _, after, ok := strings.Cut(name, " "); ok {
			name = after
		}
	}
	return flowEnd{cmp.Or(name, kindWord(l.Kind)), l.Server}
}

// conversationSections show the conversations and mark the messages that findings and indicators refer to.
func conversationSections(r *result.Report, all []Conversation) (out []section) {
	for i, c := range all[:min(len(all), maxDiagrams)] {
		s := conversationSection(c, marksOf(r, c.File))
		s.ID = fmt.Sprintf("conversation-%d", i+1)
		out = append(out, s)
	}
	return out
}

// WriteConversation writes a page that shows a recorded conversation without judging it.
func WriteConversation(to io.Writer, c Conversation) error {
	d := &document{Page: Page{Title: c.File, Class: "open", Verdict: countNoun(len(c.Trace.Messages), "message") + ", not judged"}, Complete: c.Trace.Unread == 0}
	for _, p := range c.Trace.Problems {
		d.Missing = append(d.Missing, p.Error())
	}
	d.Missing = append(d.Missing, "this recording has not been judged: use gauntlet scan --trace or gauntlet attack judge")
	d.sections = conversationSections(&result.Report{}, []Conversation{c})
	return d.write(to, "html", Options{})
}

// marksOf returns, per message of a trace, the findings and indicators that refer to it.
func marksOf(r *result.Report, file string) map[int]string {
	marks := map[int]string{}
	add := func(seq int, what string) {
		if seq > 0 && !strings.Contains(marks[seq], what) {
			marks[seq] = strings.TrimSpace(marks[seq] + " " + what)
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Location.Seq == 0 || f.Location.File != file {
			continue
		}
		add(f.Location.Seq, string(f.Rule))
		for k := range f.Related {
			add(f.Related[k].Seq, string(f.Rule)+" (from)")
		}
	}
	for i := range r.Attacks {
		a := &r.Attacks[i]
		if a.Verdict == nil || a.Trace != file {
			continue
		}
		for k := range a.Verdict.Indicators {
			if n := &a.Verdict.Indicators[k]; n.Result == "matched" {
				add(n.Message, n.ID)
			}
		}
	}
	return marks
}

func conversationSection(c Conversation, marks map[int]string) section {
	s := section{Title: "Conversation", Name: c.File, Lines: true, PageOnly: true, Figure: true, Heads: []string{"", "Message", "From", "To", "What", "Says", "Remarks"}}
	shown := c.Trace.Messages[:min(len(c.Trace.Messages), maxArrows)]
	intro := countNoun(len(c.Trace.Messages), "message") + "."
	if len(shown) < len(c.Trace.Messages) {
		intro += fmt.Sprintf(" The first %s are drawn.", groupDigits(len(shown)))
	}
	if c.Trace.Unread > 0 {
		intro += " " + countNoun(c.Trace.Unread, "line") + " could not be read."
	}
	if len(marks) > 0 {
		intro += " Messages referenced by findings or indicators are marked."
	}
	s.Intro = []string{intro}
	tree := &rawjson.Tree{}
	return withRows(s, shown, func(m *trace.Message) row {
		from, to := ends(m)
		if m.Direction == trace.ToClient {
			from, to = to, from
		}
		one := row{Title: fmt.Sprint(m.Seq)}
		one.add("From", from)
		one.add("To", to)
		one.add("What", clipLine(messageTitle(m), 34))
		one.add("Says", clipLine(gist(m, tree), 400))
		one.add("Remarks", strings.Join(remarks(m, ""), " "))
		if mark := marks[m.Seq]; mark != "" {
			one.Fields = append(one.Fields, field{Label: "Remarks", Text: mark, Tone: "high"})
		}
		return one
	})
}
