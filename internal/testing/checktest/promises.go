package checktest

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
)

// quotes checks that the evidence of f stands where f says, as anybody with a JSON
// library would look it up.
func (g *golden) quotes(t T, f finding.Finding) {
	t.Helper()
	for _, s := range g.bad {
		if s.name != f.Location.File {
			continue
		}
		text, err := message(s.text, &f.Location)
		if err == nil {
			err = quotesEvidence(text, f)
		}
		if err != nil {
			t.Errorf("%s: %s %s: %v", g.path, s.name, f.Location.Pointer, err)
		}
	}
}

func quotesEvidence(text string, f finding.Finding) error {
	doc, err := parseDocument(text)
	if err != nil {
		return err
	}
	places := resolve(doc, f.Location.Pointer)
	if len(places) == 0 {
		return fmt.Errorf("the pointer leads nowhere")
	}
	e := f.Evidence
	for _, p := range places {
		s, isString := p.value.(string)
		if f.Location.IsKey {
			s, isString = p.name, true
		}
		switch {
		case !isString && e.Raw == "": // a finding about an object as a whole quotes nothing
			return nil
		case isString && 0 <= e.Start && e.Start <= e.End && e.End <= len(s) && s[e.Start:e.End] == e.Raw:
			return nil
		}
	}
	return fmt.Errorf("the bytes %d to %d there are not the evidence %q", e.Start, e.End, e.Raw)
}

// steadyFingerprints checks that the fingerprints and content hashes of a bad snapshot
// stay the same when it is written otherwise or gets neighbours.
func (g *golden) steadyFingerprints(t T) {
	t.Helper()
	for _, s := range g.bad {
		found, err := g.runSection(s.name, s.text)
		if err != nil {
			continue // findings has complained
		}
		want := fingerprints(found)
		for _, v := range []struct {
			how   string
			write func(any) string
		}{
			{"is re-indented", func(doc any) string { return writeDocument(doc, writing{indent: "   "}) }},
			{"is written in one line", func(doc any) string { return writeDocument(doc, writing{}) }},
			{"has its members sorted", func(doc any) string { return writeDocument(doc, writing{order: strings.Compare}) }},
			{"has its members sorted backwards", func(doc any) string {
				return writeDocument(doc, writing{order: func(a, b string) int { return strings.Compare(b, a) }})
			}},
			{"has other tools in front", func(doc any) string { return writeDocument(withNeighbours(doc), writing{indent: " "}) }},
		} {
			text, err := s.rewritten(v.write)
			if err != nil {
				t.Errorf("%s: %s: %v", g.path, s.name, err)
				return
			}
			found, err := g.runSection(s.name, text)
			if err != nil {
				t.Errorf("%s: %s: when it %s: %v", g.path, s.name, v.how, err)
			} else if got := fingerprints(found); !slices.Equal(got, want) {
				t.Errorf("%s: %s: fingerprints change when the file %s, each with its content hash: got %q, want %q", g.path, s.name, v.how, got, want)
			}
		}
	}
}

// rewritten returns the section with its documents written otherwise: the snapshot, or each
// message of a trace.
func (s section) rewritten(how func(any) string) (string, error) {
	if strings.HasSuffix(s.name, recorded) {
		return rewritten(s.text, how)
	}
	doc, err := parseDocument(s.text)
	if err != nil {
		return "", err
	}
	return how(doc), nil
}

// fingerprints are those of findings, each with its content hash, sorted: the order of findings follows the order of the file.
func fingerprints(findings []finding.Finding) []string {
	var out []string
	for _, f := range findings {
		if !slices.Contains(neighbours, f.Location.Item) {
			out = append(out, f.Fingerprint+" "+f.Content)
		}
	}
	slices.Sort(out)
	return out
}

// neighbours are tools that no check has anything to say about. The names are far apart,
// for checks that compare names.
var neighbours = []string{"spell_greeting_aloud", "multiply_numbers"}

// withNeighbours returns the document with the neighbours in front of the tools of every
// server that lists some.
func withNeighbours(v any) any {
	obj, ok := v.(object)
	if !ok {
		return v
	}
	out := slices.Clone(obj)
	for i, m := range out {
		list, isList := m.value.(array)
		switch {
		case isList && m.name == "tools":
			out[i].value = append(toolsNamed(neighbours), list...)
		case isList && m.name == "servers":
			servers := make(array, len(list))
			for j := range list {
				servers[j] = list[j]
				if j == 0 { // one server only: the same tool on two is something to report
					servers[j] = withNeighbours(list[j])
				}
			}
			out[i].value = servers
		case m.name == "result":
			out[i].value = withNeighbours(m.value)
		}
	}
	return out
}

func toolsNamed(names []string) array {
	var out array
	for _, n := range names {
		out = append(out, object{{"name", n}, {"description", "Returns one number."}, {"inputSchema", object{{"type", "object"}}}})
	}
	return out
}
