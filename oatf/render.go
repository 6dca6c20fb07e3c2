package oatf

import (
	"math"
	"strconv"
	"strings"
)

// render writes a document as JSON, fields in the order of the specification. In the
// canonical form a phase does not repeat its actor's mode.
func render(d *Document, canonical bool) string {
	r := renderer{canonical}
	var b strings.Builder
	w := beginObject(&b, nil)
	w.text("oatf", d.OATF)
	w.text("$schema", d.Schema)
	w.field("attack", true, func() { r.attack(&b, &d.Attack) })
	w.end()
	return b.String()
}

type renderer struct{ canonical bool }

func (r renderer) attack(b *strings.Builder, a *Attack) {
	w := beginObject(b, a.Extensions)
	w.text("id", a.ID)
	w.text("name", a.Name)
	w.integer("version", a.Version != 0, a.Version)
	w.text("status", string(a.Status))
	w.text("created", string(a.Created))
	w.text("modified", string(a.Modified))
	w.text("author", a.Author)
	w.text("description", a.Description)
	w.text("grace_period", a.GracePeriod)
	w.field("severity", a.Severity != nil, func() { r.severity(b, a.Severity) })
	writeWords(w, "impact", a.Impact)
	w.field("classification", a.Classification != nil, func() { r.classification(b, a.Classification) })
	writeList(w, "references", a.References, r.reference)
	w.field("execution", true, func() { r.execution(b, &a.Execution) })
	writeList(w, "indicators", a.Indicators, r.indicator)
	w.field("correlation", a.Correlation != nil, func() {
		w := beginObject(b, nil)
		w.text("logic", string(a.Correlation.Logic))
		w.end()
	})
	w.end()
}

func (r renderer) severity(b *strings.Builder, s *Severity) {
	w := beginObject(b, nil)
	w.textIf("level", true, string(s.Level))
	w.percent("confidence", s.Confidence)
	w.end()
}

func (r renderer) classification(b *strings.Builder, c *Classification) {
	w := beginObject(b, nil)
	w.text("category", string(c.Category))
	writeList(w, "mappings", c.Mappings, func(b *strings.Builder, m *FrameworkMapping) {
		w := beginObject(b, nil)
		w.textIf("framework", true, m.Framework)
		w.textIf("id", true, m.ID)
		w.text("name", m.Name)
		w.text("url", m.URL)
		w.text("relationship", string(m.Relationship))
		w.end()
	})
	writeWords(w, "tags", c.Tags)
	w.end()
}

func (r renderer) reference(b *strings.Builder, ref *Reference) {
	w := beginObject(b, nil)
	w.textIf("url", true, ref.URL)
	w.text("title", ref.Title)
	w.text("description", ref.Description)
	w.end()
}

func (r renderer) execution(b *strings.Builder, e *Execution) {
	w := beginObject(b, e.Extensions)
	w.text("mode", e.Mode)
	w.value("state", e.State)
	writeList(w, "phases", e.Phases, func(b *strings.Builder, p *Phase) { r.phase(b, p, e.Mode) })
	writeList(w, "actors", e.Actors, r.actor)
	w.end()
}

func (r renderer) actor(b *strings.Builder, a *Actor) {
	w := beginObject(b, a.Extensions)
	w.textIf("name", true, a.Name)
	w.textIf("mode", true, a.Mode)
	writeList(w, "phases", a.Phases, func(b *strings.Builder, p *Phase) { r.phase(b, p, a.Mode) })
	w.end()
}

func (r renderer) phase(b *strings.Builder, p *Phase, mode string) {
	w := beginObject(b, p.Extensions)
	w.text("name", p.Name)
	w.text("description", p.Description)
	w.textIf("mode", p.Mode != "" && (!r.canonical || p.Mode != mode), p.Mode)
	w.value("state", p.State)
	writeList(w, "extractors", p.Extractors, r.extractor)
	writeList(w, "on_enter", p.OnEnter, r.action)
	w.field("trigger", p.Trigger != nil, func() {
		w := beginObject(b, nil)
		w.text("event", p.Trigger.Event)
		w.integer("count", p.Trigger.Count != 0, p.Trigger.Count)
		w.value("match", p.Trigger.Match)
		w.text("after", p.Trigger.After)
		w.end()
	})
	w.end()
}

func (r renderer) extractor(b *strings.Builder, e *Extractor) {
	w := beginObject(b, nil)
	w.textIf("name", true, e.Name)
	w.textIf("source", true, string(e.Source))
	w.textIf("type", true, string(e.Type))
	w.textIf("selector", true, e.Selector)
	w.end()
}

func (r renderer) action(b *strings.Builder, a *Action) {
	w := beginObject(b, a.Extensions)
	w.field("send", a.Send != nil, func() {
		w := beginObject(b, nil)
		w.textIf("method", true, a.Send.Method)
		w.value("params", a.Send.Params)
		w.end()
	})
	w.field("log", a.Log != nil, func() {
		w := beginObject(b, nil)
		w.textIf("message", true, a.Log.Message)
		w.text("level", string(a.Log.Level))
		w.end()
	})
	if a.Binding != nil {
		w.value(a.Binding.Name, a.Binding.Value)
	}
	w.end()
}

func (r renderer) indicator(b *strings.Builder, i *Indicator) {
	w := beginObject(b, i.Extensions)
	w.text("id", i.ID)
	w.text("protocol", i.Protocol)
	w.text("surface", i.Surface)
	w.textIf("target", true, i.Target)
	w.text("actor", i.Actor)
	w.text("direction", string(i.Direction))
	w.text("method", string(i.Method))
	w.text("description", i.Description)
	w.field("pattern", i.Pattern != nil, func() { r.pattern(b, i.Pattern) })
	w.field("expression", i.Expression != nil, func() { r.expression(b, i.Expression) })
	w.field("semantic", i.Semantic != nil, func() { r.semantic(b, i.Semantic) })
	w.percent("confidence", i.Confidence)
	w.text("severity", string(i.Severity))
	writeWords(w, "false_positives", i.FalsePositives)
	w.text("tier", string(i.Tier))
	w.end()
}

func (r renderer) pattern(b *strings.Builder, p *PatternMatch) {
	w := beginObject(b, nil)
	w.pointer("target", p.Target)
	w.value("condition", p.Condition)
	for m := range p.Shorthand.Members() {
		w.value(m.Key.Text(), m.Value)
	}
	w.end()
}

func (r renderer) expression(b *strings.Builder, e *ExpressionMatch) {
	w := beginObject(b, nil)
	w.textIf("cel", true, e.CEL)
	w.field("variables", e.Variables != nil, func() {
		w := beginObject(b, nil)
		for _, v := range e.Variables {
			w.textIf(v.Name, true, v.Path)
		}
		w.end()
	})
	w.end()
}

func (r renderer) semantic(b *strings.Builder, s *SemanticMatch) {
	w := beginObject(b, nil)
	w.pointer("target", s.Target)
	w.textIf("intent", true, s.Intent)
	w.text("intent_class", string(s.IntentClass))
	w.field("threshold", s.Threshold != nil && !math.IsNaN(*s.Threshold) && !math.IsInf(*s.Threshold, 0), func() {
		b.WriteString(strconv.FormatFloat(*s.Threshold, 'g', -1, 64))
	})
	w.field("examples", s.Examples != nil, func() {
		w := beginObject(b, nil)
		writeWords(w, "positive", s.Examples.Positive)
		writeWords(w, "negative", s.Examples.Negative)
		w.end()
	})
	w.end()
}
