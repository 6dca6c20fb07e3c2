package boundary

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A pair is a call whose result holds something of a later call's argument.
type pair struct {
	from, to, offset int // places in log.calls; the argument in its message
	length           int // of the longest string; 0 for an array or object
}

// allPairs compares every result with every later argument, as plainly as can be.
func allPairs(t *trace.Trace, k *callLog, least int) []pair {
	var out []pair
	s := newSweep(least)
	type value struct {
		call  int
		value string // of a string
		json  string // of an array or object
	}
	var values []value
	for i := range t.Messages {
		m := &t.Messages[i]
		at, ok := k.at[m.Seq]
		if !ok || !s.parseMessage(m.Raw) {
			continue
		}
		if i == k.calls[at].result {
			s.addValues(s.messageRoot().Get("result"))
			for _, e := range s.entries {
				if e.worthy && e.text != "" && !isCommonWord(e.text) {
					values = append(values, value{call: at, value: strings.Clone(e.text)})
				} else if e.worthy && e.text == "" {
					values = append(values, value{call: at, json: e.value.Canonical()})
				}
			}
			continue
		}
		s.addInputs()
		covered := map[[2]int]bool{} // call and argument
		for n, e := range s.entries {
			best := map[int]string{}
			for _, v := range values {
				if k.calls[v.call].server == k.calls[at].server || covered[[2]int{v.call, n}] {
					continue
				}
				switch {
				case v.value != "" && e.text != "" && strings.Contains(e.text, v.value) && len(v.value) > len(best[v.call]):
					best[v.call] = v.value
				case v.json != "" && e.worthy && e.text == "" && e.value.Canonical() == v.json:
					best[v.call] = ""
					for inside := n; inside < e.end; inside++ {
						covered[[2]int{v.call, inside}] = true
					}
				}
			}
			for call, text := range best {
				out = append(out, pair{call, at, e.value.Offset(), len(text)})
			}
		}
	}
	return sorted(out)
}

func sorted(ps []pair) []pair {
	slices.SortFunc(ps, func(a, b pair) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return ps
}

// What the index finds is what a comparison of everything with everything finds.
func TestFlowsAreAllPairs(t *testing.T) {
	total := 0
	for seed := range uint64(200) {
		r := newRecording(t)
		randomTalk(r, rand.New(rand.NewPCG(seed, 2)))
		b := trust.Boundary{Limits: trust.Limits{MinLength: 4, Producers: 1000, Findings: 1 << 30}}
		f := findFlows(&r.trace, b, readCalls(&r.trace, nil))
		var got []pair
		for _, x := range f.crossed {
			got = append(got, pair{x.from, x.to, x.offset, len(x.value)})
		}
		want := allPairs(&r.trace, f.log, 4)
		if got = sorted(got); !slices.Equal(got, want) {
			t.Fatalf("seed %d:\n got %v\nwant %v", seed, got, want)
		}
		if f.leftCrossed != 0 || f.cut != 0 {
			t.Fatalf("seed %d: %d left out, %d cut", seed, f.leftCrossed, f.cut)
		}
		total += len(got)
	}
	if total < 500 {
		t.Errorf("only %d flows: the traces are too dull to show anything", total)
	}
}

// randomTalk plays calls among a few servers whose values are made of few letters, so that
// they repeat and hold each other.
func randomTalk(r *recording, rnd *rand.Rand) {
	word := func(most int) string {
		b := make([]byte, 1+rnd.IntN(most))
		for i := range b {
			b[i] = "ab"[rnd.IntN(2)]
		}
		return quoted(string(b))
	}
	var value func(depth, most int) string
	value = func(depth, most int) string {
		switch n := rnd.IntN(6); {
		case n == 0 && depth > 0:
			return "[" + value(depth-1, most) + "," + value(depth-1, most) + "]"
		case n == 1 && depth > 0:
			return `{"x":` + value(depth-1, most) + `,"y":` + value(depth-1, most) + "}"
		case n == 2 && depth > 0:
			return `{"y":` + value(depth-1, most) + `, "x":` + value(depth-1, most) + "}"
		case n == 3:
			return []string{"1", "1.0", "true", "null", `""`}[rnd.IntN(5)]
		}
		return word(most)
	}
	for range 3 + rnd.IntN(12) {
		server := string(rune('p' + rnd.IntN(3)))
		r.ask(server, "tools/call", `{"name":"t","arguments":{"a":`+value(2, 14)+`,"b":`+value(1, 30)+"}}", `{"structuredContent":`+value(2, 8)+"}")
	}
}

// Repetition makes the trace no slower to read than it is long: eight times the messages
// cost less than sixteen times the steps, and what is not reported is counted.
func TestStepsStayLinear(t *testing.T) {
	long := strings.Repeat("ab", 400)
	for _, tt := range []struct {
		name string
		ask  func(r *recording, i int)
	}{
		{"one value again and again", func(r *recording, i int) {
			r.ask("p", "tools/call", `{"name":"t","arguments":{}}`, `{"content":[{"type":"text","text":"a secret sentence"}]}`)
			r.ask("q", "tools/call", `{"name":"t","arguments":{"x":"a secret sentence"}}`, `{}`)
		}},
		{"one letter, of every length", func(r *recording, i int) {
			r.ask("p", "tools/call", `{"name":"t","arguments":{}}`, `{"content":[{"type":"text","text":"`+strings.Repeat("ab", 6+i)+`"}]}`)
			r.ask("q", "tools/call", `{"name":"t","arguments":{"x":"`+long+`"}}`, `{}`)
		}},
		{"one long text with different ends", func(r *recording, i int) {
			r.ask("p", "tools/call", `{"name":"t","arguments":{}}`, fmt.Sprintf(`{"content":[{"type":"text","text":"%s%d"}]}`, long, i))
			r.ask("q", "tools/call", `{"name":"t","arguments":{"x":"`+long+`"}}`, `{}`)
		}},
		{"many small values in one argument", func(r *recording, i int) {
			r.ask("p", "tools/call", `{"name":"t","arguments":{}}`, fmt.Sprintf(`{"content":[{"type":"text","text":"value number %d"}]}`, i))
			r.ask("q", "tools/call", fmt.Sprintf(`{"name":"t","arguments":{"x":"value number %d and value number %d"}}`, i/2, i/3), `{}`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := func(n int) *flows {
				r := newRecording(t)
				for i := range n {
					tt.ask(r, i)
				}
				return findFlows(&r.trace, trust.Boundary{Limits: trust.Limits{Findings: 100}}, readCalls(&r.trace, nil))
			}
			small, big := run(50), run(400)
			if big.steps > 16*small.steps {
				t.Errorf("%d steps, with eight times the messages %d", small.steps, big.steps)
			}
			if len(big.crossed)+len(big.changed) == 0 || len(big.crossed) > 100 || len(big.changed) > 100 {
				t.Errorf("%d flows and %d notes", len(big.crossed), len(big.changed))
			}
		})
	}
}

// What is not reported is counted: with one value held by 100 results and sent by 100 calls,
// every pair is either reported or left out.
func TestWhatIsLeftOutIsCounted(t *testing.T) {
	r := newRecording(t)
	for range 100 {
		r.ask("p", "tools/call", `{"name":"t","arguments":{}}`, `{"content":[{"type":"text","text":"a secret sentence"}]}`)
		r.ask("q", "tools/call", `{"name":"t","arguments":{"x":"a secret sentence"}}`, `{}`)
	}
	f := findFlows(&r.trace, trust.Boundary{Limits: trust.Limits{Findings: 50, Producers: 3}}, readCalls(&r.trace, nil))
	if len(f.crossed) != 50 || len(f.crossed)+f.leftCrossed != 100*101/2 {
		t.Errorf("%d reported, %d left out, want 50 and the rest of 5050", len(f.crossed), f.leftCrossed)
	}
}

// A result that holds two of the values of an argument is one flow, and left out once.
func TestLeftOutResultsCountOnce(t *testing.T) {
	r := newRecording(t)
	for range 10 {
		r.ask("p", "tools/call", `{"name":"t","arguments":{}}`, `{"content":[{"type":"text","text":"a secret sentence"},{"type":"text","text":"another secret text"}]}`)
	}
	r.ask("q", "tools/call", `{"name":"t","arguments":{"x":"first a secret sentence, then another secret text"}}`, `{}`)
	f := findFlows(&r.trace, trust.Boundary{Limits: trust.Limits{Findings: 50, Producers: 3}}, readCalls(&r.trace, nil))
	if len(f.crossed) != 3 || f.leftCrossed != 7 {
		t.Errorf("%d reported, %d left out, want 3 and 7 of 10 results", len(f.crossed), f.leftCrossed)
	}
}

// Equal structures have equal hashes however they are written, and only those.
func TestHashesOfStructures(t *testing.T) {
	texts := []string{
		`{"a":"a secret sentence","b":[1,2]}`, `{"b":[1.0,2],"a":"a secret sentence"}`, `{"a":"a secret sentence","b":[2,1]}`,
		`{"a":"a secret sentence","b":{"c":null}}`, `{"a":"a secret sentence","b":{"d":null}}`, `["a secret sentence",[]]`, `["a secret sentence",{}]`,
		`["a secret sentence"]`, `{"a":"a secret sentence"}`, `[["a secret sentence"]]`, `{"b":"a secret sentence","a":"b"}`, `{"a":"a secret sentence","b":"b"}`,
	}
	var trees [2]rawjson.Tree
	a, b := newSweep(12), newSweep(12)
	b.seed = a.seed
	for _, one := range texts {
		for _, other := range texts {
			for i, text := range []string{one, other} {
				if err := trees[i].Parse(text, 0); err != nil {
					t.Fatal(err)
				}
			}
			a.parseMessage(one)
			a.addValues(a.messageRoot())
			b.parseMessage(other)
			b.addValues(b.messageRoot())
			if got, want := a.entries[0].hash == b.entries[0].hash, rawjson.Equal(trees[0].Root(), trees[1].Root()); got != want {
				t.Errorf("%s and %s: equal hashes %v, want %v", one, other, got, want)
			}
		}
	}
}
