package indicator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"go.yaml.in/yaml/v4"

	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/verdict"
)

// Each part of the public conformance suite that does not concern whole documents (those
// are played in package oatf), and what plays a case: nil for a pass.
var parts = []struct {
	file string
	play func(input, expected rawjson.Value) error
}{
	{"primitives/resolve-simple-path.yaml", playSimplePath},
	{"primitives/resolve-wildcard-path.yaml", playWildcardPath},
	{"primitives/parse-duration.yaml", playDuration},
	{"primitives/evaluate-condition.yaml", playCondition},
	{"primitives/evaluate-predicate.yaml", playPredicate},
	{"primitives/interpolate-template.yaml", playTemplate},
	{"primitives/interpolate-value.yaml", playValue},
	{"primitives/evaluate-extractor.yaml", playExtractor},
	{"primitives/select-response.yaml", playSelect},
	{"primitives/evaluate-trigger.yaml", playTrigger},
	{"primitives/compute-effective-state.yaml", playState},
	{"evaluate/pattern.yaml", playIndicator},
	{"evaluate/expression.yaml", playIndicator},
	{"evaluate/semantic.yaml", playIndicator},
	{"verdict/any.yaml", playVerdict},
	{"verdict/all.yaml", playVerdict},
}

// TestConformance reads the suite where GAUNTLET_OATF says: the directory with
// conformance/. No case of these parts is excepted.
func TestConformance(t *testing.T) {
	dir := os.Getenv("GAUNTLET_OATF")
	if dir == "" {
		t.Skip("GAUNTLET_OATF is not set")
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FILE\tCASES\tPASSED")
	for _, part := range parts {
		t.Run(part.file, func(t *testing.T) {
			passed := 0
			cases := suite(t, filepath.Join(dir, "conformance", part.file))
			for _, c := range cases {
				if err := part.play(c.Get("input"), c.Get("expected")); err != nil {
					t.Errorf("%s, %s: %v\ninput %s", c.Get("id").Text(), c.Get("name").Text(), err, c.Get("input").Raw())
				} else {
					passed++
				}
			}
			fmt.Fprintf(w, "%s\t%d\t%d\n", part.file, len(cases), passed)
		})
	}
	w.Flush()
	t.Log("\n" + table.String())
}

func suite(t *testing.T, file string) []rawjson.Value {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var out []rawjson.Value
	for _, e := range tree(t, asJSON(root.Content[0])).Elements() {
		out = append(out, e)
	}
	if len(out) == 0 {
		t.Fatalf("%s has no cases", file)
	}
	return out
}

// asJSON writes a YAML node as JSON, members in their order.
func asJSON(n *yaml.Node) string {
	var parts []string
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			parts = append(parts, quoted(n.Content[i].Value)+":"+asJSON(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case n.Kind == yaml.SequenceNode:
		for _, e := range n.Content {
			parts = append(parts, asJSON(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case n.Tag == "!!str" || n.Tag == "!!timestamp":
		return quoted(n.Value)
	}
	return n.Value // null, true, a number
}

func quoted(s string) string { return rawjson.Quote(s) }

func tree(t testing.TB, text string) rawjson.Value {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return tree.Root()
}

// same compares what came out, as JSON, with what the case expects.
func same(got string, expected rawjson.Value) error {
	var tree rawjson.Tree
	if err := tree.Parse(got, 0); err != nil {
		return fmt.Errorf("got %q: %w", got, err)
	}
	if !rawjson.Equal(tree.Root(), expected) {
		return fmt.Errorf("got %s, want %s", got, expected.Raw())
	}
	return nil
}

func playSimplePath(in, want rawjson.Value) error {
	p, err := match.ParsePath(in.Get("path").Text())
	if err != nil {
		return err
	}
	v := p.Find(in.Get("value"))
	switch {
	case want.Get("found").Exists(): // null that was found
		return same(fmt.Sprintf(`{"found":%v,"value":%s}`, v.Exists(), v.Raw()), want)
	case !v.Exists():
		return same("null", want)
	}
	return same(v.Raw(), want)
}

func playWildcardPath(in, want rawjson.Value) error {
	target, err := match.ParseTarget(in.Get("path").Text())
	if err != nil {
		return err
	}
	var got []string
	target.Each(in.Get("value"), func(v rawjson.Value) bool { got = append(got, v.Raw()); return true })
	return same("["+strings.Join(got, ",")+"]", want.Get("values"))
}

func playDuration(in, want rawjson.Value) error {
	d, err := match.ParseDuration(in.Text())
	if err != nil {
		return same(`{"error":true}`, want)
	}
	return same(fmt.Sprintf(`{"seconds":%d}`, int(d/time.Second)), want)
}

func playCondition(in, want rawjson.Value) error {
	c, err := match.ParseCondition(in.Get("condition"))
	if err != nil {
		return err
	}
	return same(strconv.FormatBool(c.Holds(in.Get("value"))), want)
}

func playPredicate(in, want rawjson.Value) error {
	p, err := match.ParsePredicate(in.Get("predicate"))
	if err != nil {
		return err
	}
	ok, err := p.Holds(context.Background(), in.Get("value"))
	if err != nil {
		return err
	}
	return same(strconv.FormatBool(ok), want)
}

func scopeOf(in rawjson.Value) match.Scope {
	s := match.Scope{Captures: map[string]string{}, Request: in.Get("request"), Response: in.Get("response")}
	for m := range in.Get("extractors").Members() {
		s.Captures[m.Key.Text()] = m.Value.Text()
	}
	return s
}

func playTemplate(in, want rawjson.Value) error {
	template, err := match.ParseTemplate(in.Get("template").Text())
	if err != nil {
		return err
	}
	got, _ := template.Expand(scopeOf(in))
	return same(quoted(got), want)
}

func playValue(in, want rawjson.Value) error {
	got, _ := match.ExpandValue(in.Get("value"), scopeOf(in))
	return same(got, want)
}

func playExtractor(in, want rawjson.Value) error {
	x := in.Get("extractor")
	extractor, err := match.ParseExtractor(x.Get("type").Text(), x.Get("selector").Text())
	if err != nil {
		return err
	}
	text, ok, err := extractor.Extract(in.Get("message"))
	if err != nil {
		return err
	}
	if !ok || x.Get("source").Text() != in.Get("direction").Text() {
		return same("null", want)
	}
	return same(quoted(text), want)
}

func playSelect(in, want rawjson.Value) error {
	d, err := match.ParseDispatch(in.Get("entries"))
	if err != nil {
		return err
	}
	v, err := d.Select(context.Background(), in.Get("request"))
	if err != nil {
		return err
	}
	if !v.Exists() {
		return same("null", want)
	}
	return same(`{"content":`+v.Get("content").Raw()+"}", want)
}

func playTrigger(in, want rawjson.Value) error {
	spec := in.Get("trigger")
	count, _ := spec.Get("count").Int()
	trigger, err := match.ParseTrigger(spec.Get("event").Text(), int(count), spec.Get("match"), spec.Get("after").Text())
	if err != nil {
		return err
	}
	elapsed, err := match.ParseDuration(in.Get("elapsed").Text())
	if err != nil {
		return err
	}
	before, _ := in.Get("state").Get("event_count").Int()
	seen := int(before)
	reason, err := trigger.Advance(context.Background(), in.Get("event").Get("event_type").Text(), in.Get("event").Get("content"), elapsed, &seen)
	if err != nil {
		return err
	}
	if reason == "" {
		return same(fmt.Sprintf(`{"result":"not_advanced","state":{"event_count":%d}}`, seen), want)
	}
	return same(fmt.Sprintf(`{"result":"advanced","reason":%q,"state":{"event_count":%d}}`, reason, seen), want)
}

func playState(in, want rawjson.Value) error {
	var states []rawjson.Value
	for _, p := range in.Get("phases").Elements() {
		states = append(states, p.Get("state"))
	}
	index, _ := in.Get("phase_index").Int()
	return same(match.EffectiveState(states, int(index)).Raw(), want)
}

// scored is a semantic evaluator that gives every text the same score.
type scored float64

func (s scored) Score(context.Context, Question) (float64, error) { return float64(s), nil }

func playIndicator(in, want rawjson.Value) error {
	doc, err := oatf.Parse(`{"oatf":"0.1","attack":{"execution":{"mode":"mcp_server","state":{}},"indicators":[` + in.Get("indicator").Raw() + `]}}`)
	if err != nil {
		return err
	}
	o := Options{WithoutCEL: in.Get("cel_evaluator").Text() == "absent"}
	if semantic := in.Get("semantic_evaluator"); semantic.Exists() {
		if there, _ := semantic.Get("present").Bool(); there {
			score, err := strconv.ParseFloat(semantic.Get("mock_score").Raw(), 64)
			if err != nil {
				return err
			}
			o.Semantic = scored(score)
		}
	}
	i, err := Compile(&doc.Attack.Indicators[0], o)
	if err != nil {
		return err
	}
	v := i.Evaluate(context.Background(), in.Get("message"))
	if kind := in.Parent().Get("expected_error_kind"); kind.Exists() && kind.Text() != v.Kind {
		return fmt.Errorf("the error is of the kind %q, want %s", v.Kind, kind.Raw())
	}
	return same(quoted(string(v.Result)), want)
}

func playVerdict(in, want rawjson.Value) error {
	attack := &oatf.Attack{Correlation: &oatf.Correlation{Logic: oatf.CorrelationLogic(in.Get("correlation_logic").Text())}}
	for _, i := range in.Get("indicators").Elements() {
		attack.Indicators = append(attack.Indicators, oatf.Indicator{ID: i.Get("id").Text()})
	}
	verdicts := map[string]verdict.Indicator{}
	for _, v := range in.Get("verdicts").Elements() {
		id := v.Get("indicator_id").Text()
		verdicts[id] = verdict.Indicator{ID: id, Result: verdict.Result(v.Get("result").Text())}
	}
	got := ComputeVerdict(attack, verdicts)
	s := got.Summary
	return same(fmt.Sprintf(`{"result":%q,"evaluation_summary":{"matched":%d,"not_matched":%d,"error":%d,"skipped":%d}}`,
		got.Outcome, s.Matched, s.NotMatched, s.Error, s.Skipped), want)
}

// The indicators of every document of the public library are ready to judge, and say so
// when there is nothing to judge.
func TestScenarios(t *testing.T) {
	dir := os.Getenv("GAUNTLET_OATF")
	if dir == "" {
		t.Skip("GAUNTLET_OATF is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "scenarios", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	indicators := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, _, err := oatf.Load(string(text))
		if err != nil {
			t.Fatalf("%s: %v", filepath.Base(f), err)
		}
		j, err := NewJudge(doc, Options{})
		if len(doc.Attack.Indicators) == 0 {
			if !errors.Is(err, ErrNoIndicators) {
				t.Errorf("%s: %v, want ErrNoIndicators", filepath.Base(f), err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
			continue
		}
		v := j.Judge(context.Background(), &trace.Trace{})
		if v.Outcome != verdict.Failed || v.Summary.Skipped != len(doc.Attack.Indicators) {
			t.Errorf("%s: an empty trace gave %s, %+v", filepath.Base(f), v.Outcome, v.Summary)
		}
		indicators += v.Summary.Total()
	}
	t.Logf("%d documents, %d indicators", len(files), indicators)
}
