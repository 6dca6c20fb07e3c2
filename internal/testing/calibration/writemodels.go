package calibration

// models writes what models add to the other layers, by the recorded answers that were given.
func (w *page) models(r *Run) {
	for _, m := range r.Models {
		w.line("\n## With layer 3: %s\n", cell(m.Model))
		w.line("What the model says of the %d tools that the other layers leave in doubt, %d of them without a usable answer. Its labels count like", m.Asked, m.Unanswered)
		w.line("medium here.\n")
		w.line("| tag | true | layer | precision of high | true found at high | precision of high and medium | recall of high and medium | recall with low |")
		w.line("|---|---|---|---|---|---|---|---|")
		w.tagRow(r.All.Micro, "1")
		w.tagRow(m.Definition.Micro, "1 and 3")
		if m.Source != nil && r.Layers != nil {
			w.tagRow(r.Layers.Definition.Micro, "1, with a source")
			w.tagRow(r.Layers.Source.Micro, "1 and 2")
			w.tagRow(m.Source.Micro, "1, 2 and 3")
		}
	}
}
