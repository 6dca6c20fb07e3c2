package advice

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/result"
)

const (
	// mostStatements is how many statements about one definition are taken.
	mostStatements = 10
	// longestQuote and longestRationale are in bytes. A longer quote is dropped, a longer rationale is cut.
	longestQuote     = 2_000
	longestRationale = 600
	// shortestQuote is in letters and digits: less shows nothing.
	shortestQuote = 3
)

// errForm says that an answer as a whole does not have the form that was asked for.
var errForm = errors.New("the answer does not fit the schema")

type statement struct {
	Threat     result.Threat `json:"threat"`
	Quote      string        `json:"quote"`
	Rationale  string        `json:"rationale"`
	Confidence string        `json:"confidence"`
}

// read takes what an answer says about the definition, and counts what of it was dropped.
func (q *Question) read(answer string) (out []result.AdvisoryFinding, dropped int, err error) {
	var in struct {
		Findings *[]json.RawMessage `json:"findings"`
	}
	if strict([]byte(unfenced(answer)), &in) != nil || in.Findings == nil {
		return nil, 0, errForm
	}
	for _, raw := range *in.Findings {
		var s statement
		if strict(raw, &s) != nil || !q.acceptable(&s) || len(out) == mostStatements {
			dropped++
			continue
		}
		out = append(out, result.AdvisoryFinding{
			Threat: s.Threat, Location: q.location, Quote: s.Quote, Rationale: excerpt.Clip(strings.TrimSpace(s.Rationale), longestRationale),
			Confidence: s.Confidence, Escalate: s.Confidence == "low",
		})
	}
	return out, dropped, nil
}

// strict reads one JSON value without unknown members.
func strict(text []byte, into any) error {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errForm
	}
	return nil
}

// unfenced takes the fence off that models without enforced schemas like to put around JSON.
func unfenced(answer string) string {
	answer = strings.TrimSpace(answer)
	if rest, ok := strings.CutPrefix(answer, "```"); ok {
		rest = strings.TrimPrefix(rest, "json")
		return strings.TrimSpace(strings.TrimSuffix(rest, "```"))
	}
	return answer
}

// acceptable reports whether a statement is one of those asked for and quotes the definition: as the model saw it, or
// one of its strings as it decodes.
func (q *Question) acceptable(s *statement) bool {
	if !slices.Contains([]result.Threat{result.SubtlePoisoning, result.UnsupportedBehaviour, result.Persuasion}, s.Threat) ||
		!slices.Contains([]string{"high", "medium", "low"}, s.Confidence) {
		return false
	}
	return q.quotes(s.Quote)
}

// quotes reports whether words stand in the definition, and are enough to show something.
func (q *Question) quotes(quote string) bool {
	if len(quote) > longestQuote {
		return false
	}
	letters := 0
	for _, r := range quote {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	if letters < shortestQuote {
		return false
	}
	return strings.Contains(q.shown, quote) || slices.ContainsFunc(q.texts, func(text string) bool { return strings.Contains(text, quote) })
}
