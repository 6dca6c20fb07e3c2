package oatf

import (
	"math"
	"strconv"
	"strings"
)

// render writes a document as JSON, fields in the specification's order. In canonical form a phase does not repeat its actor's mode.
func render(d *Document, canonical bool) string {
	r := renderer{canonical}
	var b strings.Builder
	w := beginObject(&b, nil)
	w.writeText("oatf", d.OATF)
	w.writeText("$schema", d.Schema)
	w.writeField("attack", true, func() { r.attack(&b, &d.Attack) })
	w.endObject()
	return b.String()
}

type renderer struct{ canonical bool }

func (r renderer) attack(b *strings.Builder, a *Attack) {
	w := beginObject(b, a.Extensions)
	w.writeText("id", a.ID)
	w.writeText("name", a.Name)
	w.integer("version", a.Version != 0, a.Version)
	w.writeText("status", string(a.Status))
	w.writeText("created", string(a.Created))
	w.writeText("modified", string(a.Modified))
	w.writeText("author", a.Author)
	w.writeText("description", a.Description)
	w.writeText("grace_period", a.GracePeriod)
	w.writeField("severity", a.Severity != nil, func() { r.renderSeverity(b, a.Severity) })
	writeWords(w, "impact", a.Impact)
	w.writeField("classification", a.Classification != nil, func() { r.classification(b, a.Classification) })
	writeList(w, "references", a.References, r.reference)
	w.writeField("execution", true, func() { r.execution(b, &a.Execution) })
	writeList(w, "indicators", a.Indicators, r.indicator)
	w.writeField("correlation", a.Correlation != nil, func() {
		w := beginObject(b, nil)
		w.writeText("logic", string(a.Correlation.Logic))
		w.endObject()
	})
	w.endObject()
}

func (r renderer) renderSeverity(b *strings.Builder, s *Severity) {
	w := beginObject(b, nil)
	w.textIf("level", true, string(s.Level))
	w.writePercent("confidence", s.Confidence)
	w.endObject()
}

func (r renderer) classification(b *strings.Builder, c *Classification) {
	w := beginObject(b, nil)
	w.writeText("category", string(c.Category))
	writeList(w, "mappings", c.Mappings, func(b *strings.Builder, m *FrameworkMapping) {
		w := beginObject(b, nil)
		w.textIf("framework", true, m.Framework)
		w.textIf("id", true, m.ID)
		w.writeText("name", m.Name)
		w.writeText("url", m.URL)
		w.writeText("relationship", string(m.Relationship))
		w.endObject()
	})
	writeWords(w, "tags", c.Tags)
	w.endObject()
}

func (r renderer) reference(b *strings.Builder, ref *Reference) {
	w := beginObject(b, nil)
	w.textIf("url", true, ref.URL)
	w.writeText("title", ref.Title)
	w.writeText("description", ref.Description)
	w.endObject()
}

func (r renderer) execution(b *strings.Builder, e *Execution) {
	w := beginObject(b, e.Extensions)
	w.writeText("mode", e.Mode)
	w.writeValue("state", e.State)
	writeList(w, "phases", e.Phases, func(b *strings.Builder, p *Phase) { r.phase(b, p, e.Mode) })
	writeList(w, "actors", e.Actors, r.renderActor)
	w.endObject()
}

func (r renderer) renderActor(b *strings.Builder, a *Actor) {
	w := beginObject(b, a.Extensions)
	w.textIf("name", true, a.Name)
	w.textIf("mode", true, a.Mode)
	writeList(w, "phases", a.Phases, func(b *strings.Builder, p *Phase) { r.phase(b, p, a.Mode) })
	w.endObject()
}

func (r renderer) phase(b *strings.Builder, p *Phase, mode string) {
	w := beginObject(b, p.Extensions)
	w.writeText("name", p.Name)
	w.writeText("description", p.Description)
	w.textIf("mode", p.Mode != "" && (!r.canonical || p.Mode != mode), p.Mode)
	w.writeValue("state", p.State)
	writeList(w, "extractors", p.Extractors, r.extractor)
	writeList(w, "on_enter", p.OnEnter, r.action)
	w.writeField("trigger", p.Trigger != nil, func() {
		w := beginObject(b, nil)
		w.writeText("event", p.Trigger.Event)
		w.integer("count", p.Trigger.Count != 0, p.Trigger.Count)
		w.writeValue("match", p.Trigger.Match)
		w.writeText("after", p.Trigger.After)
		w.endObject()
	})
	w.endObject()
}

func (r renderer) extractor(b *strings.Builder, e *Extractor) {
	w := beginObject(b, nil)
	w.textIf("name", true, e.Name)
	w.textIf("source", true, string(e.Source))
	w.textIf("type", true, string(e.Type))
	w.textIf("selector", true, e.Selector)
	w.endObject()
}

func (r renderer) action(b *strings.Builder, a *Action) {
	w := beginObject(b, a.Extensions)
	w.writeField("send", a.Send != nil, func() {
		w := beginObject(b, nil)
		w.textIf("method", true, a.Send.Method)
		w.writeValue("params", a.Send.Params)
		w.endObject()
	})
	w.writeField("log", a.Log != nil, func() {
		w := beginObject(b, nil)
		w.textIf("message", true, a.Log.Message)
		w.writeText("level", string(a.Log.Level))
		w.endObject()
	})
	if a.Binding != nil {
		w.writeValue(a.Binding.Name, a.Binding.Value)
	}
	w.endObject()
}

func (r renderer) indicator(b *strings.Builder, i *Indicator) {
	w := beginObject(b, i.Extensions)
	w.writeText("id", i.ID)
	w.writeText("protocol", i.Protocol)
	w.writeText("surface", i.Surface)
	w.textIf("target", true, i.Target)
	w.writeText("actor", i.Actor)
	w.writeText("direction", string(i.Direction))
	w.writeText("method", string(i.Method))
	w.writeText("description", i.Description)
	w.writeField("pattern", i.Pattern != nil, func() { r.pattern(b, i.Pattern) })
	w.writeField("expression", i.Expression != nil, func() { r.expression(b, i.Expression) })
	w.writeField("semantic", i.Semantic != nil, func() { r.semantic(b, i.Semantic) })
	w.writePercent("confidence", i.Confidence)
	w.writeText("severity", string(i.Severity))
	writeWords(w, "false_positives", i.FalsePositives)
	w.writeText("tier", string(i.Tier))
	w.endObject()
}

func (r renderer) pattern(b *strings.Builder, p *PatternMatch) {
	w := beginObject(b, nil)
	w.writePointer("target", p.Target)
	w.writeValue("condition", p.Condition)
	for m := range p.Shorthand.Members() {
		w.writeValue(m.Key.Text(), m.Value)
	}
	w.endObject()
}

func (r renderer) expression(b *strings.Builder, e *ExpressionMatch) {
	w := beginObject(b, nil)
	w.textIf("cel", true, e.CEL)
	w.writeField("variables", e.Variables != nil, func() {
		w := beginObject(b, nil)
		for _, v := range e.Variables {
			w.textIf(v.Name, true, v.Path)
		}
		w.endObject()
	})
	w.endObject()
}

func (r renderer) semantic(b *strings.Builder, s *SemanticMatch) {
	w := beginObject(b, nil)
	w.writePointer("target", s.Target)
	w.textIf("intent", true, s.Intent)
	w.writeText("intent_class", string(s.IntentClass))
	w.writeField("threshold", s.Threshold != nil && !math.IsNaN(*s.Threshold) && !math.IsInf(*s.Threshold, 0), func() {
		b.WriteString(strconv.FormatFloat(*s.Threshold, 'g', -1, 64))
	})
	w.writeField("examples", s.Examples != nil, func() {
		w := beginObject(b, nil)
		writeWords(w, "positive", s.Examples.Positive)
		writeWords(w, "negative", s.Examples.Negative)
		w.endObject()
	})
	w.endObject()
}
