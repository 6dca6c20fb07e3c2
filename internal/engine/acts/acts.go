// Package acts reads what a text or a piece of code has an agent do to its user: take data and send it, hide what it
// does, switch protection off, run what it downloads, settle elsewhere, destroy.
//
// Instruction files are addressed to a model by design, so that they give orders says nothing. What counts is what they
// have the model do. One such act is a reason to look, and several together, or one without an honest use, are a finding.
package acts

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/text"
)

// A Kind is what an act does.
type Kind uint8

// The kinds of act.
const (
	Send    Kind = iota // takes data and sends it away
	Ask                 // asks the user for a secret
	Conceal             // hides what is done from the user
	Drop                // drops the rules that hold
	Weaken              // switches protection off, or takes more rights
	Run                 // runs what is downloaded or received
	Plant               // settles where agents or programs read it again
	Destroy             // destroys what is not its own
	Falsify             // has results bent
	Spy                 // takes what no task needs: screen, clipboard, whereabouts
	Kinds
)

// An Act is one thing that a text has an agent do: text[Start:End] says so.
type Act struct {
	Kind       Kind
	Says       string // to follow "the text"
	Start, End int
	Weight     int  // 2: a reason to look; 4: no honest text does it; see Judge
	Hidden     bool // where a person does not see it
}

// A Verdict is what the acts of a text come to.
type Verdict uint8

// The verdicts.
const (
	Fine    Verdict = iota
	Suspect         // a person should look
	Hostile
)

// enough is the weight from which acts are hostile. Measured on 1,592 honest files and 291 hostile ones.
const enough = 3

// Judge says what the acts of one text come to.
func Judge(acts []Act) Verdict {
	sum := Weigh(acts)
	switch {
	case sum >= enough:
		return Hostile
	case sum >= 2:
		return Suspect
	}
	return Fine
}

// Weigh adds up the acts of one text: those of one kind count once, in the weight of the heaviest, and what is hidden
// counts twice.
func Weigh(acts []Act) int {
	var heaviest [Kinds]int
	for _, a := range acts {
		w := a.Weight
		if a.Hidden {
			w *= 2
		}
		heaviest[a.Kind] = max(heaviest[a.Kind], w)
	}
	sum := 0
	for _, w := range heaviest {
		sum += w
	}
	return sum
}

// Heaviest returns the heaviest of the acts, of which there is one at least.
func Heaviest(found []Act) Act {
	return slices.MaxFunc(found, func(a, b Act) int { return a.Weight - b.Weight })
}

// Text reads prose with code in it, such as a skill.
func Text(s string) []Act {
	r := &reader{given: s, raw: withoutNamed(s)}
	r.fold()
	r.sentences()
	r.judge()
	return r.acts
}

type reader struct {
	given string // of a text, with what it only names
	raw   string
	low   string // folded, in small letters
	span  func(start, end int) (int, int)
	units []unit
	acts  []Act
	hook  bool // see Hook
}

type span struct{ start, end int }

// fold writes the text as it is read: without invisible characters, in small letters.
func (r *reader) fold() {
	if text.Plain(r.raw) {
		r.low = strings.ToLower(r.raw)
		return
	}
	f := text.Fold(r.raw)
	r.low, r.span = lowerASCII(f.Text()), f.Span
}

// lowerASCII keeps the length, as strings.ToLower does not.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func (r *reader) original(start, end int) (int, int) {
	if r.span == nil {
		return start, end
	}
	return r.span(start, end)
}

// A unit is a sentence, an item of a list or a line of code.
type unit struct {
	start, end int
	class      classes
	code       bool // in a block of code, or after a prompt
	section    int  // headings before it
	hidden     bool // in a comment of HTML
	sought     bool // an item of a list of what to look for
	prose      bool // of a text, not of a program
}

// sentences cuts the text at line ends and full stops, and tells of each piece which words are in it.
func (r *reader) sentences() {
	fence, section, comment, sought := false, 0, false, false
	for at := 0; at < len(r.low); {
		end := strings.IndexByte(r.low[at:], '\n')
		if end < 0 {
			end = len(r.low)
		} else {
			end += at
		}
		line := r.low[at:end]
		trimmed := strings.TrimLeft(line, " \t>")
		switch {
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence = !fence
		case strings.HasPrefix(trimmed, "#") && !fence:
			section++
		}
		if strings.Contains(line, "<!--") || strings.Contains(line, "display:none") || strings.Contains(line, "font-size:0") || strings.Contains(line, "color:transparent") || strings.HasPrefix(trimmed, "[//]: #") || strings.HasPrefix(trimmed, "[comment]: #") {
			comment = true
		}
		sought = sought && (trimmed == "" || listed.MatchString(line)) && !strings.HasPrefix(trimmed, "#")
		r.cut(at, end, unit{code: fence, section: section, hidden: comment, sought: sought, prose: true})
		sought = sought || strings.HasSuffix(strings.TrimRight(line, " \t\r"), ":") && seeks.MatchString(line)
		if strings.Contains(line, "-->") || trimmed == "" || strings.HasPrefix(trimmed, "[") || strings.Contains(line, "</div>") || strings.Contains(line, "</p>") {
			comment = false
		}
		at = end + 1
	}
}

var (
	// seeks matches the line before a list of what is to be found: "Look for:", "Search for and report, with file and line:".
	seeks = lazyregexp.New(`\b(?:(?:look|search|check|scan|watch|grep)\s+for|flags?|reports?|rejects?|finds?|detects?|signs of|traces?|indicators?|symptoms?)\b[^.]*:\s*$`)
	// listed matches an item of a list, or a line that goes on with one.
	listed = lazyregexp.New(`^\s*(?:[-*+•]|\d+[.)])\s|^\s{2,}\S`)
)

// longest is how long a piece is at most: whoever writes no full stop is cut.
const longest = 600

// cut adds the pieces of a line, like u otherwise.
func (r *reader) cut(at, end int, u unit) {
	for at < end {
		stop := min(end, at+longest)
		if i := sentenceEnd(r.low[at:stop]); i >= 0 && !u.code {
			stop = at + i
		}
		if strings.TrimSpace(r.low[at:stop]) != "" {
			u.start, u.end, u.class = at, stop, classify(r.low[at:stop])
			r.units = append(r.units, u)
		}
		at = stop
	}
}

// sentenceEnd returns where a sentence ends, -1 for nowhere. The number of an item of a list and an abbreviation end none.
func sentenceEnd(s string) int {
	from := 0
	for {
		i := strings.Index(s[from:], ". ")
		if i < 0 {
			return -1
		}
		if before := s[:from+i]; strings.Trim(before, " \t-*>0123456789") != "" && !strings.HasSuffix(before, "e.g") && !strings.HasSuffix(before, "i.e") {
			return from + i + 1
		}
		from += i + 2
	}
}

// atOnce is how much of a file is read at once, in bytes: reading needs about forty times as much memory.
const atOnce = 64 << 10

// clauses are the acts that the reader of definitions finds: of its directives those that no honest instruction has, and what resembles
// known attacks: a rule knows the words that it was made of, and a stranger has others.
func (r *reader) clauses() {
	about := r.about()
	var c clause.Reader
	c.Begin(clause.Business{Size: len(r.raw)})
	for from := 0; from < len(r.raw); {
		part := pieceOf(r.raw[from:])
		c.Likens = func(l clause.Likeness) bool {
			return l.Score >= resembles && !about && !r.excused(from+l.Start, from+l.End, l.Score)
		}
		read := c.Read(part, clause.Instruction)
		r.directives(read.Directives, from)
		if l := read.Like; l != nil {
			r.resembling(l.Kind, from+l.Start, from+l.End, l.Score)
		}
		from += len(part)
	}
}

// pieceOf returns the beginning of a text that is read at once, up to the end of a paragraph or a line if there is one.
func pieceOf(s string) string {
	if len(s) <= atOnce {
		return s
	}
	for _, end := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(s[:atOnce], end); i > 0 {
			return s[:i+len(end)]
		}
	}
	end := atOnce
	for end > atOnce-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// The scores from which a text resembles attacks: of 1,592 honest files of agents, by weights that had not learnt from their sources, one
// in a hundred reaches the first and none the second.
const (
	resembles = 145
	surely    = 320
)

// resembling adds the act of a sentence that resembles known attacks.
func (r *reader) resembling(kind clause.Kind, start, end, score int) {
	weight := 2
	if score >= surely {
		weight = enough
	}
	like, ok := kindOf[kind]
	if !ok {
		like = Run
	}
	first, last := r.unitsIn(start, end)
	hidden := slices.ContainsFunc(r.units[first:last], func(u unit) bool { return u.hidden })
	r.acts = append(r.acts, Act{Kind: like, Says: "resembles known attacks on agents", Start: start, End: end, Weight: weight, Hidden: hidden})
}

// unitsIn returns the numbers of the first piece that shares something with a part of the text, and of the one behind the last.
func (r *reader) unitsIn(start, end int) (first, last int) {
	first = sort.Search(len(r.units), func(i int) bool {
		_, to := r.original(r.units[i].start, r.units[i].end)
		return to > start
	})
	last = sort.Search(len(r.units), func(i int) bool {
		from, _ := r.original(r.units[i].start, r.units[i].end)
		return from >= end
	})
	return first, max(first, last)
}

// excused reports whether what resembles an attack stands beside what an attack lacks: it warns of something, or stays on this machine. A
// secret that something is done with, and what is done once the user asks, need the higher score.
func (r *reader) excused(start, end, score int) bool {
	first, last := r.unitsIn(start, end)
	for i := first; i < last; i++ {
		s := r.text(i)
		if r.units[i].class.any(localhost) || r.defending(i) || r.sought(i) || score < surely && (withoutMeans(s) != s || userAsks.MatchString(r.whole(i)) || userAgrees.MatchString(r.whole(i))) {
			return true
		}
	}
	return false
}

// userAsks matches "when the user asks for it", userAgrees what is done once the user has seen and allowed it.
var (
	userAsks   = lazyregexp.New(`\b(?:when|if|once|after|unless)\s+(?:the user|they|you are|asked)\b[^.\n]{0,30}\b(?:asks?|asked|wants?|requests?|agrees?|confirms?|approves?)\b`)
	userAgrees = lazyregexp.New(`\b(?:when|if|once|after)\s+(?:the user|they)\s+(?:has\s+|have\s+)?(?:agree|approve|confirm|accept|consent)(?:e?[sd])?\b`)
)

// english matches words that most sentences of English have.
var english = lazyregexp.New(`\b(?:the|to|of|and|for|with|is|at|or)\b`)

// directives adds those of a part of the text that begins at from.
func (r *reader) directives(found []clause.Directive, from int) {
	for _, d := range found {
		d.Start, d.End = d.Start+from, d.End+from
		kind, ok := kindOf[d.Kind]
		if !ok || !d.Sure || describes[d.Says] != nil && describes[d.Says].MatchString(lowerASCII(r.raw[max(0, d.Start-40):d.End])) {
			continue
		}
		weight := 1
		switch {
		case (everyday[d.Says] || strings.HasPrefix(d.Says, "directs the model to")) && !d.Hidden:
			continue
		case d.Suspicion:
		case kind == Send && strings.HasSuffix(d.Says, "to an outside address"):
			// A password or a variable may be what the request is made with.
			means := strings.HasPrefix(d.Says, "sends secrets") || strings.HasPrefix(d.Says, "sends a credential from the environment")
			if !means || !english.MatchString(lowerASCII(r.raw[max(0, d.Start-200):d.End])) || handsOver(lowerASCII(r.raw[d.Start:d.End]), true) {
				weight = 3
			}
		case grave[d.Says]:
			weight = 2
		}
		r.acts = append(r.acts, Act{Kind: kind, Says: d.Says, Start: r.pastHeading(d.Start, d.End), End: d.End, Weight: weight, Hidden: d.Hidden})
	}
}

// pastHeading returns where a sentence begins that the reader of clauses joins with the heading before it.
func (r *reader) pastHeading(start, end int) int {
	for {
		next := strings.IndexByte(r.raw[start:end], '\n')
		line := r.raw[strings.LastIndexByte(r.raw[:start], '\n')+1:]
		if next < 0 || !strings.HasPrefix(strings.TrimLeft(line, " >"), "#") {
			return start
		}
		start = end - len(strings.TrimLeft(r.raw[start+next:end], " >\t\r\n"))
	}
}

// grave are directives that no honest instruction has, or next to none.
var grave = map[string]bool{
	"tells the model to drop the instructions it was given": true, "poses as a message from the host application": true, "gives the model a persona without rules": true,
	"tells the model not to tell the user": true, "says that the model's rules no longer apply": true,
	"claims that the user has agreed already": true, "tells the model to carry out an attack": true, "tells the model to skip the user's confirmation": true,
	"hands over the conversation": true, "hands over secrets": true, "hands over private data": true, "hands over a file that holds credentials": true, "sends secrets away": true, "sends the conversation away": true,
}

// describes match what says the words of a directive and orders nothing: "Posts what the user has agreed to", "minutes from a transcript
// of a meeting".
var describes = map[string]*lazyregexp.Regexp{
	"claims that the user has agreed already": lazyregexp.New(`\b(?:what|that|which|whatever)\s+the user (?:has|had)\b`),
	"sends the conversation away":             lazyregexp.New(`\b(?:transcripts?|recordings?) of (?:an?|each|every)\b`),
}

// everyday are directives that instructions of honest projects have too: they name the agent's own files, commands and
// test servers.
var everyday = map[string]bool{
	"directs the model to a file that holds credentials": true, "has the model run a command": true, "has the model write something that runs or is read at every start": true,
	"has the model pipe a download into a shell": true, "asks the model for the model's own instructions": true, "sends data to an address that the user did not name": true,
	"tells the model not to ask the user first": true, "sends the model's own instructions away": true, "directs the model to the model's own instructions": true,
	"tells the model to act without asking the user": true, "tells the model to follow orders in another text": true,
	"claims that nothing happens for real": true,
}

// marks weighs characters that a person does not see: one by itself is a slip of an editor, many carry a message.
func (r *reader) marks() {
	if text.Plain(r.given) {
		return
	}
	n := 0
	for _, m := range text.Marks(r.given) {
		before := n
		if m.Kind != text.Homoglyph && m.Kind != text.Private {
			n += utf8.RuneCountInString(r.given[m.Start:m.End])
		}
		if m.Decoded != "" || before < fewMarks && n >= fewMarks {
			r.acts = append(r.acts, Act{Kind: Conceal, Says: "has characters that a person does not see", Start: m.Start, End: m.End, Weight: 2, Hidden: m.Decoded != ""})
		}
	}
}

// fewMarks is how many invisible characters no honest text has.
const fewMarks = 8

var kindOf = map[clause.Kind]Kind{clause.Override: Drop, clause.Conceal: Conceal, clause.Consent: Weaken, clause.Command: Run, clause.Leak: Send}
