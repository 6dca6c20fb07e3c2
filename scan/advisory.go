package scan

import (
	"context"

	"gauntlet/catalog"
	"gauntlet/internal/engine/advice"
	"gauntlet/result"
)

// A Question asks a model about one definition: instructions, the definition as quoted data, and the JSON Schema of the answer.
type Question struct {
	System, Prompt, Schema string
}

// A Judge answers a question with JSON. It is called concurrently as [AdvisoryOptions] allow. Any error leaves the definition unjudged.
type Judge func(ctx context.Context, q Question) (answer string, err error)

// AdvisoryOptions configure the judge and what it is shown.
type AdvisoryOptions struct {
	Model    string              // name in the report
	Parallel int                 // concurrent questions; 0 for 1
	Mask     func(string) string // removes secrets known from elsewhere; nil for none
}

// RunWithAdvisory is [Run] with a judge's opinions in [result.Report.Advisory]. They do not affect the rest of the
// report, including FailsAt and ExitCode.
func RunWithAdvisory(ctx context.Context, c *catalog.Catalog, opt Options, advisory AdvisoryOptions, judge Judge) *result.Report {
	r := Run(c, opt)
	r.Advisory = []result.Advisory{AdvisoryFindings(ctx, c, advisory, judge)}
	return r
}

// AdvisoryFindings asks a judge about every definition of a catalog, without running checks.
func AdvisoryFindings(ctx context.Context, c *catalog.Catalog, opt AdvisoryOptions, judge Judge) result.Advisory {
	questions := advice.Questions(c, advice.Options{Mask: opt.Mask})
	return advice.Run(ctx, opt.Model, questions, opt.Parallel, func(ctx context.Context, q *advice.Question) (string, error) {
		return judge(ctx, Question{q.System, q.Prompt, q.Schema})
	})
}
