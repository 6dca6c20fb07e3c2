package secret

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// TestWindowsLoseNothing writes secrets by each rule's own regexp into a long text and
// compares what the rule finds in its windows with what gitleaks' regexp, unchanged, finds
// in the whole.
func TestWindowsLoseNothing(t *testing.T) {
	set := load()
	random := rand.New(rand.NewPCG(1, 2))
	fill := strings.Repeat("Lists what there is to see. ", 300)
	for i, r := range set.rules {
		re, err := syntax.Parse(r.Regex, syntax.Perl)
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		whole := regexp.MustCompile(r.Regex)
		for range 2 {
			var b strings.Builder
			write(&b, re, random)
			// Keywords that the regexp does not contain stand nearby.
			in := fill + r.Keywords[0] + " " + b.String() + " " + fill
			want := secrets(r, whole, in, span{0, len(in)})
			var got []string
			if spans := set.windows(in); spans != nil {
				for _, w := range spans[i] {
					got = append(got, secrets(r, r.re(), in, w)...)
				}
			}
			for _, s := range want {
				// The label's value needs a digit to be looked at, and to be reported; see value.
				if r.shape == labelled && (!strings.ContainsAny(s, "0123456789") || len(s) > maxValue) {
					continue
				}
				if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(s, g) || strings.HasPrefix(g, s) }) {
					t.Errorf("%s: windows show %q, the whole text %q", r.ID, got, want)
				}
			}
		}
	}
}

func secrets(r *rule, re *regexp.Regexp, s string, w span) (list []string) {
	for _, at := range re.FindAllStringSubmatchIndex(w.spanText(s), -1) {
		list = append(list, r.secret(at, w.start).spanText(s))
	}
	return list
}

// write appends a text that re matches, short where it may choose.
func write(b *strings.Builder, re *syntax.Regexp, random *rand.Rand) {
	times := func(lo, hi int) {
		for range lo + random.IntN(min(hi, lo+9)-lo+1) {
			write(b, re.Sub[0], random)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		for {
			i := 2 * random.IntN(len(re.Rune)/2)
			lo, hi := re.Rune[i], min(re.Rune[i+1], '~')
			if lo > '~' { // (?i) of k and s contains U+212A and U+017F
				continue
			}
			if c := lo + rune(random.IntN(int(hi-lo)+1)); c == '\n' || ' ' <= c {
				b.WriteRune(c)
				return
			}
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('a' + random.IntN(26)))
	case syntax.OpCapture:
		write(b, re.Sub[0], random)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub, random)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[random.IntN(len(re.Sub))], random)
	case syntax.OpStar:
		times(0, 9)
	case syntax.OpPlus:
		times(1, 9)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		hi := re.Max
		if hi < 0 {
			hi = re.Min + 9
		}
		times(re.Min, hi)
	}
}
