package calibration

import (
	"context"
	"slices"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/internal/run/sourcecode"
)

// An Asker gives tools in doubt the labels that one model says they have, as layer 3 does: before is what layer 1 alone says,
// and servers what the other layers say together. source returns the source of a tool's handler; nil where none was read.
type Asker func(ctx context.Context, before, servers []capability.Server, of []*catalog.Server, source func(tool string) string) (asked, unanswered int, err error)

// AddModel adds to a run what one model's labels make of the scores.
func (c *Corpus) AddModel(ctx context.Context, r *Run, model string, ask Asker) error {
	out := WithModel{Model: model}
	definition := c.classifyCases()
	var source []Case
	for i, name := range c.names {
		if err := c.askAbout(ctx, &definition[i], c.servers[i], nil, ask, &out); err != nil {
			return err
		}
		if found := c.sources[name]; found != nil && found.Err == nil {
			p := classify.Server(c.servers[i])
			one := Case{Truth: c.truths[i], Predicted: &p, Mode: capability.WithSource, Family: definition[i].Family}
			var uncounted WithModel // the same tools once more
			if err := c.askAbout(ctx, &one, c.servers[i], found, ask, &uncounted); err != nil {
				return err
			}
			source = append(source, one)
		}
	}
	out.Definition = Of(definition)
	if source != nil {
		out.Source = Of(source)
	}
	r.Models = append(r.Models, out)
	return nil
}

func (c *Corpus) askAbout(ctx context.Context, one *Case, s *catalog.Server, found *sourcecode.Analysed, ask Asker, out *WithModel) error {
	before := []capability.Server{classify.Server(s)}
	servers := []capability.Server{*one.Predicted}
	var source func(string) string
	if found != nil {
		classify.WithSources(&servers[0], found.Sources)
		source = func(tool string) string {
			return sourcecode.HandlerText(found.Sources, func(file string) []byte { return found.Files[file] }, tool)
		}
	}
	asked, unanswered, err := ask(ctx, before, servers, []*catalog.Server{s}, source)
	out.Asked, out.Unanswered = out.Asked+asked, out.Unanswered+unanswered
	for t := range servers[0].Tools {
		preferInferred(&servers[0].Tools[t])
	}
	one.Predicted = &servers[0]
	return err
}

// preferInferred leaves of two labels of one tag the model's: it is the surer one, and a score counts each tag once.
func preferInferred(t *capability.Tool) {
	all := t.Capabilities
	t.Capabilities = slices.DeleteFunc(slices.Clone(all), func(l capability.Label) bool {
		return l.Confidence == capability.Low && slices.ContainsFunc(all, func(m capability.Label) bool { return m.Tag == l.Tag && m.Confidence == capability.Inferred })
	})
}
