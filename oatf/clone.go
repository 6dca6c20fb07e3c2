package oatf

import "slices"

// Clone returns a deep copy.
func (d *Document) Clone() *Document {
	c := *d
	a := &c.Attack
	a.Severity = clonePointer(a.Severity, func(s *Severity) { s.Confidence = clonePointer(s.Confidence, nil) })
	a.Impact = slices.Clone(a.Impact)
	a.Classification = clonePointer(a.Classification, func(c *Classification) {
		c.Mappings, c.Tags = slices.Clone(c.Mappings), slices.Clone(c.Tags)
	})
	a.References = slices.Clone(a.References)
	a.Correlation = clonePointer(a.Correlation, nil)
	a.Extensions = slices.Clone(a.Extensions)
	a.Execution.Extensions = slices.Clone(a.Execution.Extensions)
	a.Execution.Phases = cloneEach(a.Execution.Phases, clonePhase)
	a.Execution.Actors = cloneEach(a.Execution.Actors, func(a *Actor) {
		a.Phases, a.Extensions = cloneEach(a.Phases, clonePhase), slices.Clone(a.Extensions)
	})
	a.Indicators = cloneEach(a.Indicators, cloneIndicator)
	return &c
}

func clonePhase(p *Phase) {
	p.Extractors, p.Extensions = slices.Clone(p.Extractors), slices.Clone(p.Extensions)
	p.Trigger = clonePointer(p.Trigger, nil)
	p.OnEnter = cloneEach(p.OnEnter, func(a *Action) {
		a.Send, a.Log, a.Binding = clonePointer(a.Send, nil), clonePointer(a.Log, nil), clonePointer(a.Binding, nil)
		a.Extensions = slices.Clone(a.Extensions)
	})
}

func cloneIndicator(i *Indicator) {
	i.Pattern = clonePointer(i.Pattern, func(p *PatternMatch) { p.Target = clonePointer(p.Target, nil) })
	i.Expression = clonePointer(i.Expression, func(e *ExpressionMatch) { e.Variables = slices.Clone(e.Variables) })
	i.Semantic = clonePointer(i.Semantic, func(s *SemanticMatch) {
		s.Target, s.Threshold = clonePointer(s.Target, nil), clonePointer(s.Threshold, nil)
		s.Examples = clonePointer(s.Examples, func(e *SemanticExamples) {
			e.Positive, e.Negative = slices.Clone(e.Positive), slices.Clone(e.Negative)
		})
	})
	i.Confidence = clonePointer(i.Confidence, nil)
	i.FalsePositives, i.Extensions = slices.Clone(i.FalsePositives), slices.Clone(i.Extensions)
}

// clonePointer copies *p; deeper clones what the copy would share.
func clonePointer[T any](p *T, deeper func(*T)) *T {
	if p == nil {
		return nil
	}
	c := *p
	if deeper != nil {
		deeper(&c)
	}
	return &c
}

func cloneEach[T any](all []T, deeper func(*T)) []T {
	all = slices.Clone(all)
	for i := range all {
		deeper(&all[i])
	}
	return all
}
