package boundary

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		in    string
		want  []string
	}{
		{"the whole text", []string{"abcd"}, "abcd", []string{"abcd"}},
		{"at the end", []string{"abcd"}, "xxabcd", []string{"abcd"}},
		{"not a part of one", []string{"abcd"}, "abc", nil},
		{"one in another", []string{"abcd", "bcd", "abc"}, "abcd", []string{"abc", "abcd", "bcd"}},
		{"the longer one breaks off", []string{"abcdef", "abc"}, "xabcdex", []string{"abc"}},
		{"twice is once", []string{"abc"}, "abcabc", []string{"abc"}},
		{"too short for the set", []string{"ab"}, "ab", nil},
		{"nothing", nil, "abcd", nil},
		{"bytes of zero", []string{"\x00\x00\x00", "\x00\x00\x00\x00"}, "\x00\x00\x00", []string{"\x00\x00\x00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSet(3)
			for _, text := range tt.texts {
				s.Add(text)
			}
			if got := foundIn(t, s, tt.texts, tt.in); !slices.Equal(got, tt.want) {
				t.Errorf("%q in %q: %q, want %q", tt.texts, tt.in, got, tt.want)
			}
		})
	}
}

// found returns the texts that s finds, sorted, each of which stands where it is said to.
func foundIn(t *testing.T, s *Set, added []string, in string) []string {
	t.Helper()
	ids := map[int]string{}
	for _, text := range added {
		if id, fresh := s.Add(text); fresh {
			t.Fatalf("%q was not in the set", text)
		} else if id >= 0 {
			ids[id] = text
		}
	}
	var out []string
	s.Find(in, func(id, at int) bool {
		if !strings.HasPrefix(in[at:], ids[id]) {
			t.Fatalf("%q does not stand at %d of %q", ids[id], at, in)
		}
		out = append(out, ids[id])
		return true
	})
	slices.Sort(out)
	return out
}

// plainly is what Find must say.
func plainly(texts []string, shortest int, in string) []string {
	var out []string
	for _, text := range texts {
		if len(text) >= shortest && strings.Contains(in, text) {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Few letters make texts that repeat and contain each other, which is where tries break.
func TestFindIsASearchForEach(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		letters := 1 + r.IntN(3)
		word := func(most int) string {
			b := make([]byte, r.IntN(most+1))
			for i := range b {
				b[i] = byte('a' + r.IntN(letters))
			}
			return string(b)
		}
		shortest := 1 + r.IntN(10)
		s := NewSet(shortest)
		var texts []string
		for range 1 + r.IntN(40) {
			text := word(40)
			texts = append(texts, text)
			s.Add(text)
			in := word(120) // searching between additions
			if got, want := foundIn(t, s, texts, in), plainly(texts, shortest, in); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %q in %q: %q, want %q", seed, texts, in, got, want)
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("abc\nabcd\nbcdefghi", "xabcdefghij", 3)
	f.Fuzz(func(t *testing.T, texts, in string, shortest int) {
		if shortest < 1 || shortest > 20 || len(texts) > 4000 {
			return
		}
		s := NewSet(shortest)
		all := strings.Split(texts, "\n")
		for _, text := range all {
			s.Add(text)
		}
		if got, want := foundIn(t, s, all, in), plainly(all, shortest, in); !slices.Equal(got, want) {
			t.Errorf("%q in %q: %q, want %q", all, in, got, want)
		}
	})
}

// Repetition costs a logarithm and not another factor: eight times the bytes cost less than
// sixteen times the steps.
func TestSetStepsStayLinear(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts func(n int) []string
		in    func(n int) string
	}{
		{"every length of one letter, in one letter", func(n int) []string {
			var out []string
			for i := 12; i*i < 2*n; i++ {
				out = append(out, strings.Repeat("a", i))
			}
			return out
		}, func(n int) string { return strings.Repeat("a", n) }},
		{"one long text of one letter, in one that is shorter", func(n int) []string {
			return []string{strings.Repeat("a", n)}
		}, func(n int) string { return strings.Repeat("a", n-1) }},
		{"texts that part at their ends", func(n int) []string {
			var out []string
			for i := range 100 {
				out = append(out, strings.Repeat("ab", n/200)+fmt.Sprintf("%03d", i))
			}
			return out
		}, func(n int) string { return strings.Repeat("ab", n/2) }},
		{"short texts that split a long one everywhere", func(n int) []string {
			out := []string{strings.Repeat("ab", n/2)}
			for i := 12; i*i < n; i++ {
				out = append(out, strings.Repeat("ab", n/2)[:i]+"!")
			}
			return out
		}, func(n int) string { return strings.Repeat("ab", n/2) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			steps := func(n int) int {
				s := NewSet(12)
				for _, text := range tt.texts(n) {
					s.Add(text)
				}
				s.Find(tt.in(n), func(int, int) bool { return true })
				return s.Steps
			}
			small, big := steps(5_000), steps(40_000)
			if big > 16*small {
				t.Errorf("%d steps, with eight times the bytes %d", small, big)
			}
		})
	}
}

func TestFindStops(t *testing.T) {
	s := NewSet(1)
	s.Add("a")
	s.Add("b")
	n := 0
	if s.Find("ab", func(int, int) bool { n++; return false }) || n != 1 {
		t.Errorf("found %d", n)
	}
}

func BenchmarkFind(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	s := NewSet(12)
	for range 10_000 {
		s.Add(fmt.Sprintf("https://www.example.com/%d/%d", r.IntN(1000), r.IntN(1000)))
	}
	in := strings.Repeat("Nobody expects https://www.example.com/0/0 in an ordinary text of some length. ", 1000)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		s.Find(in, func(int, int) bool { return true })
	}
}
