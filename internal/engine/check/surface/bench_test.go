package surface

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check"
)

// BenchmarkDefinitionChecks is what the checks that need no lexicon add to 10,000 tools.
// Parsing and walking, which all checks share, cost a multiple: each tool is judged
// rounds times for one parse, and "none" shows what of that is left in the figures.
func BenchmarkDefinitionChecks(b *testing.B) {
	const rounds = 50
	c, err := catalog.Parse("", tenThousandTools(), catalog.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for _, ids := range []string{"none", "SEC-007", "SEC-008", "SEC-009", "SEC-007 SEC-008 SEC-009"} {
		var chosen []*check.Check
		for _, k := range Checks() {
			if strings.Contains(ids, string(k.ID)) {
				chosen = append(chosen, k)
			}
		}
		all := *Checks()[0]
		all.RunItem = func(it *check.Item) {
			for range rounds {
				for _, k := range chosen {
					k.RunItem(it)
				}
			}
		}
		b.Run(ids, func(b *testing.B) {
			for b.Loop() {
				check.Run(c, []*check.Check{&all}, check.Options{})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N*rounds), "ms/10000-tools")
		})
	}
}

// tenThousandTools are as long as the mean of real ones; one in five documents its
// parameters in the description, which is more than among real ones.
func tenThousandTools() string {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range 10_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		doc := strings.Repeat("Returns the matching records of the account with their dates. ", 6)
		if i%5 == 0 {
			doc += `\n\nArgs:\n    query (str): What to look for.\n    max_results (int): How many.\n    cursor: Where to go on.\n\nReturns:\n    list: the records`
		}
		fmt.Fprintf(&b, `{"name":"search_records_%d","description":"%s","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to look for in the records"},"max_results":{"type":"integer","description":"How many records to return at most"},"cursor":{"type":"string"}}}}`, i, doc)
	}
	b.WriteString("]}")
	return b.String()
}
