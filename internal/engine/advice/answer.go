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
	// mostStatements limits the statements accepted per definition.
	mostStatements = 10
	// longestQuote and longestRationale are in bytes. A longer quote is dropped, a longer rationale is cut.
	longestQuote     = 2_000
	longestRationale = 600
	// shortestQuote is in letters and digits: less shows nothing.
	shortestQuote = 3
)

// errForm means that a whole answer has the wrong form.
var errForm = errors.New("the answer does not fit the schema")

type statement struct {
	Threat     result.Threat `json:"threat"`
	Quote      string        `json:"quote"`
	Rationale  string        `json:"rationale"`
	Confidence string        `json:"confidence"`
}

// read returns an answer's acceptable statements about the definition and counts the dropped ones.
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

// strict decodes one JSON value without unknown members.
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

// unfenced removes the code fence that models without enforced schemas often put around JSON.
func unfenced(answer string) string {
	answer = strings.TrimSpace(answer)
	if rest, ok := strings.CutPrefix(answer, "```"); ok {
		rest = strings.TrimPrefix(rest, "json")
		return strings.TrimSpace(strings.TrimSuffix(rest, "```"))
	}
	return answer
}

// acceptable reports whether a statement is among those requested and quotes the definition, as the model saw it or as
// one of its decoded strings.
func (q *Question) acceptable(s *statement) bool {
	if !slices.Contains([]result.Threat{result.SubtlePoisoning, result.UnsupportedBehaviour, result.Persuasion}, s.Threat) ||
		!slices.Contains([]string{"high", "medium", "low"}, s.Confidence) {
		return false
	}
	return q.quotes(s.Quote)
}

// quotes reports whether a quote is in the definition and long enough.
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
