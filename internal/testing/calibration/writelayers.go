package calibration

import "gauntlet/capability"

// SourceHeading begins the part of the page that needs sources, the last one.
const SourceHeading = "## With the source"

// layers writes the part of the page that tells what sources add.
func (w *page) layers(l *Layers) {
	w.line("\n%s\n", SourceHeading)
	w.unread(l.Unread)
	if len(l.Servers) == 0 {
		return
	}
	var tools, handlers int
	for _, r := range l.Servers {
		tools += r.Tools
		handlers += r.Handlers
	}
	w.line("%d servers whose source was read, with handlers for %d of their %d tools. The same servers twice, judged by the same true", len(l.Servers), handlers, tools)
	w.line("labels: those of who sees the source, so a label without a cue in the definition is missed, and one that is only")
	w.line("simulated counts neither way.\n")
	w.line("| tag | true | layer | precision of high | true found at high | precision of high and medium | recall of high and medium | recall with low |")
	w.line("|---|---|---|---|---|---|---|---|")
	for i := range l.Definition.Tags {
		w.tagRow(l.Definition.Tags[i], "1")
		w.tagRow(l.Source.Tags[i], "1 and 2")
	}
	w.tagRow(l.Definition.Micro, "1")
	w.tagRow(l.Source.Micro, "1 and 2")
	w.line("\nRecall by server, the mean over %d servers that have a true label: %s by layer 1, %s by layers 1 and 2.\n",
		l.Source.MacroServers, percent(l.Definition.MacroRecall, true), percent(l.Source.MacroRecall, true))
	w.readings(l)
	w.changes(l.Changes)
	w.line("\n### Wrong and missing labels with the source\n")
	w.errors(l.Source.TagErrors)
}

func (w *page) readings(l *Layers) {
	w.line("### Servers\n")
	w.line("Whole: every chain of calls from the handler was read to its end. Sinks: the handler reaches at least one call that counts.\n")
	w.line("| server | tools | handlers | whole | sinks | right, wrong, missed by layer 1 | by layers 1 and 2 |")
	w.line("|---|---|---|---|---|---|---|")
	for _, r := range l.Servers {
		w.line("| %s | %d | %d | %d | %d | %d, %d, %d | %d, %d, %d |", cell(r.Server), r.Tools, r.Handlers, r.Whole, r.Sinks,
			r.Definition.TP, r.Definition.FP, r.Definition.FN, r.Source.TP, r.Source.FP, r.Source.FN)
	}
}

func (w *page) unread(servers []Unread) {
	if len(servers) == 0 {
		return
	}
	w.line("The source was given for these and says nothing about their tools; they are in no score:\n")
	for _, u := range servers {
		w.line("- %s: %s", cell(u.Server), cell(u.Why))
	}
	w.line("")
}

// changes counts what the source moved and lists where it moved away from the truth.
func (w *page) changes(changes []Change) {
	var worse []Change
	up, down := 0, 0
	for _, c := range changes {
		switch {
		case !c.Better():
			worse = append(worse, c)
		case c.True:
			up++
		default:
			down++
		}
	}
	w.line("\n### Labels that the source moved\n")
	w.line("Between the levels that count (high, medium, low or none): %d true ones up, %d wrong ones down, and %d away from the truth.", up, down, len(worse))
	if len(worse) == 0 {
		return
	}
	w.line("\n| server | tool | tag | true | before | with the source | evidence |")
	w.line("|---|---|---|---|---|---|---|")
	for _, c := range worse {
		truth := "no"
		if c.True {
			truth = "yes"
		}
		w.line("| %s | %s | %s | %s | %s | %s | %s |", cell(c.Server), cell(c.Tool), c.Tag, truth, orNone(c.Before), orNone(c.After), cell(firstOf(c.Evidence)))
	}
}

func orNone(c capability.Confidence) string {
	if c == "" {
		return "none"
	}
	return string(c)
}
