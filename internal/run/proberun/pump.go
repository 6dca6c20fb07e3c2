package proberun

import "strings"

// A Pump is a small value that costs a careless reader far more than its length.
type Pump struct {
	Name  string
	Value string
}

// Plain returns a harmless value of a pump's length: no word, number or structure begins in it.
func (p *Pump) Plain() string { return strings.Repeat("!", len(p.Value)) }

// Pumps returns values that exploit backtracking regular expressions, expansion and nesting: at most 3,000 bytes, and 60,000
// brackets.
func Pumps() []Pump {
	const most = 30 // the work doubles with each
	entities := `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "eeeeeeeeee">`
	aliases := "a0: &a0 [e,e,e,e,e,e,e,e,e]\n"
	for i := 1; i < 10; i++ {
		last, this := string(rune('0'+i-1)), string(rune('0'+i))
		entities += `<!ENTITY e` + this + ` "` + strings.Repeat("&e"+last+";", 10) + `">`
		aliases += "a" + this + ": &a" + this + " [" + strings.TrimSuffix(strings.Repeat("*a"+last+",", 9), ",") + "]\n"
	}
	return []Pump{
		{"letters and an exclamation mark", strings.Repeat("a", most+4) + "!"},
		{"letters before an unfinished mail address", strings.Repeat("a", most+4) + "@"},
		{"letters behind the sign of a mail address", "a@" + strings.Repeat("a", most+4) + "!"},
		{"digits and an exclamation mark", strings.Repeat("1", most+4) + "!"},
		{"words and an exclamation mark", strings.Repeat("a.", most) + "!"},
		{"hyphens between letters", strings.Repeat("a-", most) + "!"},
		{"spaces before a letter", strings.Repeat(" ", 3_000) + "x"},
		{"an address of many labels", "http://" + strings.Repeat("a.", most) + "a!"},
		{"slashes", "/" + strings.Repeat("/", most+4) + "!"},
		{"braces of a pattern", strings.Repeat("{a,b}", 28)},
		{"stars of a pattern", strings.Repeat("*a", most) + "*b"},
		{"open brackets", strings.Repeat("(", 30_000)},
		{"nested lists", strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000)},
		{"entities of entities in XML", entities + "]><a>&e9;</a>"},
		{"aliases of aliases in YAML", aliases},
		{"a power of powers", "9**9**9**9"},
		{"the factorial of factorials", "factorial(factorial(factorial(9)))"},
		{"a repetition of repetitions", "(a{1,30000}){1,30000}"},
	}
}
