package scan

import (
	"context"

	"gauntlet/catalog"
	"gauntlet/internal/engine/advice"
	"gauntlet/result"
)

// A Question is one definition, put to a model: how it is told to judge, the definition as quoted
// data, and the JSON Schema that the answer has to fit.
type Question struct {
	System, Prompt, Schema string
}

// A Judge answers a question, with JSON. It is called from as many goroutines as
// [AdvisoryOptions] allow. An error leaves the definition unjudged, whatever it is.
type Judge func(ctx context.Context, q Question) (answer string, err error)

// AdvisoryOptions say who judges, and what it is shown.
type AdvisoryOptions struct {
	Model    string              // as the report calls the judge
	Parallel int                 // most questions under way; 0 for 1
	Mask     func(string) string // removes secrets known from elsewhere; nil for none
}

// RunWithAdvisory is [Run] with the opinions of a judge beside it, in [result.Report.Advisory].
// Whatever the judge answers, the rest of the report is that of Run, and so are FailsAt and
// ExitCode.
func RunWithAdvisory(ctx context.Context, c *catalog.Catalog, opt Options, advisory AdvisoryOptions, judge Judge) *result.Report {
	r := Run(c, opt)
	r.Advisory = []result.Advisory{AdvisoryFindings(ctx, c, advisory, judge)}
	return r
}

// AdvisoryFindings asks a judge about every definition of a catalog, without any check.
func AdvisoryFindings(ctx context.Context, c *catalog.Catalog, opt AdvisoryOptions, judge Judge) result.Advisory {
	questions := advice.Questions(c, advice.Options{Mask: opt.Mask})
	return advice.Run(ctx, opt.Model, questions, opt.Parallel, func(ctx context.Context, q *advice.Question) (string, error) {
		return judge(ctx, Question{q.System, q.Prompt, q.Schema})
	})
}
