package report

import (
	"fmt"
	"io"
	"strings"

	"gauntlet/rawjson"
	"gauntlet/result"
	"gauntlet/trace"
)

const (
	// maxArrows limits the messages in a diagram.
	maxArrows = 400
	// maxDiagrams limits the conversations on a page.
	maxDiagrams = 12

	lifeApart = 260 // pixels between lifelines
	lifeFirst = 130 // pixels from the left to the first lifeline
	arrowTop  = 64  // pixels from the top to the first message
	arrowStep = 34
)

// A life is a lifeline. Its name is Visible.
type life struct {
	X    int
	Name string
}

// An arrow is a message. Its texts are Visible.
type arrow struct {
	Seq, X1, X2, Y, TextX, TextY        int
	Head                                string // path of the arrowhead
	From, To, Title, Gist, Remark, Mark string
}

// A sequenceView is the diagram of one conversation.
type sequenceView struct {
	ID, File, Intro string
	Width, Height   int
	Lives           []life
	Arrows          []arrow
}

// conversationParts draws the conversations and marks the messages that findings and indicators refer to.
func conversationParts(r *result.Report, all []Conversation) (out []htmlPart) {
	for i, c := range all[:min(len(all), maxDiagrams)] {
		v := viewSequence(c, marksOf(r, c.File))
		v.ID = fmt.Sprintf("conversation-%d", i+1)
		out = append(out, executed(v.ID, "Conversation "+c.File, "sequence", v))
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
	d.parts = conversationParts(&result.Report{}, []Conversation{c})
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
		add(f.Location.Seq, Visible(string(f.Rule)))
		for k := range f.Related {
			add(f.Related[k].Seq, Visible(string(f.Rule))+" (from)")
		}
	}
	for i := range r.Attacks {
		a := &r.Attacks[i]
		if a.Verdict == nil || a.Trace != file {
			continue
		}
		for k := range a.Verdict.Indicators {
			if n := &a.Verdict.Indicators[k]; n.Result == "matched" {
				add(n.Message, Visible(n.ID))
			}
		}
	}
	return marks
}

func viewSequence(c Conversation, marks map[int]string) *sequenceView {
	v := &sequenceView{File: c.File}
	shown := c.Trace.Messages[:min(len(c.Trace.Messages), maxArrows)]
	lines := &Ends{}
	for i := range shown {
		lines.See(&shown[i])
	}
	for i, name := range lines.labels() {
		v.Lives = append(v.Lives, life{lifeFirst + i*lifeApart, clipEnd(Visible(name), 30)})
	}
	tree := &rawjson.Tree{}
	for i := range shown {
		v.Arrows = append(v.Arrows, viewArrow(&shown[i], tree, lines, marks[shown[i].Seq], i))
	}
	v.Width = 2*lifeFirst + max(len(v.Lives)-1, 0)*lifeApart
	v.Height = arrowTop + len(shown)*arrowStep
	v.Intro = countNoun(len(c.Trace.Messages), "message") + "."
	if len(shown) < len(c.Trace.Messages) {
		v.Intro += fmt.Sprintf(" The first %s are drawn.", groupDigits(len(shown)))
	}
	if c.Trace.Unread > 0 {
		v.Intro += " " + countNoun(c.Trace.Unread, "line") + " could not be read."
	}
	if len(marks) > 0 {
		v.Intro += " Messages referenced by findings or indicators are marked."
	}
	return v
}

func viewArrow(m *trace.Message, tree *rawjson.Tree, lines *Ends, mark string, n int) arrow {
	client, server := ends(m)
	from, to := client, server
	if m.Direction == trace.ToClient {
		from, to = server, client
	}
	a := arrow{Seq: m.Seq, Mark: mark, From: Visible(from), To: Visible(to), Title: clipEnd(Visible(messageTitle(m)), 34),
		Gist: clipEnd(Visible(gist(m, tree)), 400), Remark: Visible(strings.Join(remarks(m, ""), " "))}
	a.X1, a.X2 = lifeFirst+lines.indexOf(from)*lifeApart, lifeFirst+lines.indexOf(to)*lifeApart
	a.Y = arrowTop + n*arrowStep
	a.TextX, a.TextY = (a.X1+a.X2)/2, a.Y-6
	back := -9
	if a.X2 < a.X1 {
		back = 9
	}
	a.Head = fmt.Sprintf("M%d %d L%d %d L%d %d Z", a.X2, a.Y, a.X2+back, a.Y-5, a.X2+back, a.Y+5)
	return a
}
