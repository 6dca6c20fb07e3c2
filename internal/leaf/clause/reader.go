package clause

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/text"
)

// A Reader turns strings into Texts. It reuses its memory, so it serves one goroutine.
type Reader struct {
	// Names tells what an identifier in the text means in the definition at hand; nil
	// knows none.
	Names func(string) Name
	// OwnHost tells whether a host belongs to the server at hand; nil knows none.
	OwnHost func(string) bool

	// Likens, unless nil, has each Text say what of it is most like known attacks, of what Likens says yes to.
	Likens func(Likeness) bool

	tok        tokenizer
	framer     framer
	found      []found
	bare       bool // the first clause is read as an order: what it says may be no function
	place      Place
	learnt     learnt
	definition Business
	name       bool     // what is read names a parameter or what one can hold
	own        classSet // the words of the tool's name
	models     bool     // the tool works with language models
	decoded    int      // how much of one string was decoded, in bytes
}

// Business is what the reader has to know of a definition besides its texts.
type Business struct {
	Name       string
	Parameters map[string]bool // the names of what it takes and returns
	Size       int             // bytes of the whole definition
	// Prompt is set for a prompt, whose arguments the user fills in: "the rest of your prompt" there is what the user types.
	Prompt bool
}

// mostQuoted is how much is quoted of what was not read, in bytes.
const mostQuoted = 60

// A Text is what one string says once it is read.
type Text struct {
	Raw        string
	Marks      []text.Mark
	Blobs      []text.Blob
	Directives []Directive
	Like       *Likeness // nil unless [Reader.Likens] is set
	// Unread says what of the string could not be read, "" for nothing: it is encoded in a way that is not known, or
	// more deeply than is read. Looks says that the former only looks like it, which means something in prose alone.
	Unread string
	Looks  bool
}

// Begin makes the reader forget the definition before, and says what the next one is for.
func (r *Reader) Begin(b Business) {
	r.tok.names, r.tok.place, r.framer.names = r.Names, r.OwnHost, r.Names
	r.ownWords(b.Name, b.Parameters)
	r.framer.carry = classSet{}
	r.definition = b
}

// shortest is the length in bytes below which an ASCII string can hold nothing to report:
// most strings of a schema are "string" and "object".
const shortest = 12

// view returns a string as it is read: folded, and with shouted words in small letters. The name of a parameter is read as the words
// it is made of, and so is a value that is a name: content_from_reading_ssh_key, readSecretFile.
func (r *Reader) view(s string, at Place) view {
	r.tok.names, r.tok.place = r.Names, r.OwnHost
	v := view{text: s}
	switch {
	case (at == SlotName || at == Label || at == Value) && identifier(s):
		v = splitName(s)
	case !text.Plain(s):
		folded := text.Fold(s)
		v = view{text: folded.Text(), span: folded.Span}
	}
	v.text = unshout(v.text)
	return v.withoutBold()
}

// withoutBold takes the stars of bold type off: a renderer does, and they part words and addresses: "https://**evil**.example".
func (v view) withoutBold() view {
	if !strings.Contains(v.text, "**") {
		return v
	}
	b := make([]byte, 0, len(v.text))
	from := make([]int, 0, len(v.text)+1) // where each byte that stays was
	for i := 0; i < len(v.text); {
		if strings.HasPrefix(v.text[i:], "**") {
			i += 2
			continue
		}
		b, from = append(b, v.text[i]), append(from, i)
		i++
	}
	before := v
	from = append(from, len(v.text))
	span := func(start, end int) (int, int) {
		last := from[start]
		if end > start {
			last = from[end-1] + 1
		}
		return before.original(from[start], last)
	}
	return view{text: string(b), span: span, split: v.split}
}

// Read reads one string that stands at a place of its definition.
func (r *Reader) Read(s string, at Place) Text {
	t := Text{Raw: s}
	r.place = at
	plain := text.Plain(s)
	if plain && len(s) < shortest {
		return t
	}
	if !plain {
		t.Marks = text.Marks(s)
	}
	f := r.view(s, at)
	r.name = at == SlotName || f.split && at == Value
	r.read(&t, &f, nil, false)
	// Encodings are looked for in the folded text, or one zero-width character would
	// break them.
	t.Blobs, r.decoded = encoded(f.text), 0
	for i := range t.Blobs {
		b := &t.Blobs[i]
		b.Start, b.End = f.original(b.Start, b.End)
		r.blob(&t, b, b.Start, b.End, 1)
	}
	if start, end, ok := text.Opaque(s, t.Blobs); ok && t.Unread == "" && at != Value {
		t.Unread, t.Looks = fmt.Sprintf("%d characters look encoded, in a way that is not known, and were not read: %q", end-start, excerpt.Clip(s[start:end], mostQuoted)), true
	}
	for i := range t.Marks {
		if m := &t.Marks[i]; m.Decoded != "" {
			r.inner(&t, m.Decoded, m.Start, m.End, false, 1)
		}
	}
	return t
}

// encodings is how many layers of encodings are taken off: base64 in percent escapes in base64. mostDecoded is how much text of
// one string they may hold together, in bytes: a compressed run holds many, and each of them many.
const (
	encodings   = 8
	mostDecoded = 4 << 20
)

func encoded(s string) []text.Blob {
	return slices.Concat(text.Blobs(s), text.SpacedLetters(s), text.Spelled(s))
}

// blob reads what a run of s[start:end] decodes to.
func (r *Reader) blob(t *Text, b *text.Blob, start, end, layer int) {
	r.decoded += len(b.Decoded)
	switch {
	case b.Decoded == "":
		return
	case layer > encodings:
		t.Unread = fmt.Sprintf("more than %d layers of encodings: what is in the innermost was not read", encodings)
		return
	case r.decoded > mostDecoded:
		t.Unread = fmt.Sprintf("what is encoded in it is longer than %d bytes: the rest was not read", mostDecoded)
		return
	}
	r.inner(t, b.Decoded, start, end, false, layer)
	if b.Encoding == "spaced letters" {
		r.inner(t, b.Decoded, start, end, true, layer)
	}
}

// A view is a string as it is read, with the way back.
type view struct {
	text  string
	span  func(start, end int) (int, int) // nil if nothing moved
	split bool                            // a name, cut into its words
}

func (v *view) original(start, end int) (int, int) {
	if v.span == nil {
		return start, end
	}
	return v.span(start, end)
}

type hiddenRun struct{ start, end int }

// inner reads text that was hidden in s[start:end], and what is encoded in it. Where segment is set, it has no
// boundaries between words.
func (r *Reader) inner(t *Text, decoded string, start, end int, segment bool, layer int) {
	folded := text.Fold(decoded)
	v := view{text: folded.Text(), span: folded.Span}
	at := r.place
	r.place = Slot // whatever is hidden is meant for somebody
	r.read(t, &v, &hiddenRun{start, end}, segment)
	r.place = at
	if segment {
		return
	}
	for _, b := range encoded(v.text) {
		r.blob(t, &b, start, end, layer+1)
	}
}

// read reads one view of a string. The rules speak where the learnt layer hears something, and of what is hidden.
func (r *Reader) read(t *Text, v *view, hidden *hiddenRun, segment bool) {
	toks := r.tok.run(v.text, segment)
	r.learnt.read(v.text, toks, r.place)
	if r.Likens != nil && hidden == nil {
		t.Like = r.likeness(v, toks)
	}
	m := theWeights()
	if d, ok := r.pushes(v.text, toks); ok {
		t.place(d, v, d.Start, d.End, hidden)
	}
	if r.learnt.best < m.faint && hidden == nil {
		return
	}
	r.frames(v.text, toks)
	before := len(t.Directives)
	r.found = r.judge(r.found[:0])
	fs := r.framer.frames
	for _, d := range r.found {
		from, to := int(toks[fs[d.first].first].start), int(toks[fs[d.last].last].end)
		out := Directive{Kind: d.kind, Says: d.says}
		for i := d.first; i <= d.last; i++ {
			out.Hidden = out.Hidden || fs[i].hidden
		}
		score := r.learnt.of(from, to)
		least := m.heard
		if d.kind == Praise || d.kind == Override || r.name {
			least = m.faint
		}
		if d.bare {
			least = m.certain
		}
		switch {
		case hidden != nil, out.Hidden:
			out.Sure = true
		case score < least:
			continue
		default:
			out.Sure = score >= m.certain
		}
		out.Score = m.hundredths(score)
		t.place(out, v, from, to, hidden)
	}
	if len(t.Directives) > before || r.learnt.best < m.certain {
		return
	}
	w, ok := r.suspicion(toks)
	score := w.score - m.size*int64(Doublings(r.definition.Size))
	if ok && score >= m.likely {
		from, to := int(r.learnt.words[w.from].start), int(r.learnt.words[w.to-1].end)
		kind := kindOf(classesBetween(toks, from, to))
		t.place(Directive{Kind: kind, Suspicion: true, Sure: score >= m.sure || hidden != nil, Score: m.hundredths(score), Says: resembles[kind]}, v, from, to, hidden)
	}
}

// resembles says of a kind what a suspicion says: it has no reason to give.
var resembles = [Kinds]string{Override: "resembles known attacks that give the model orders", Cross: "resembles known attacks that steer other tools",
	Leak: "resembles known attacks that take data away", Praise: "resembles known texts that have their tool chosen over others"}

// place adds a directive that was read between two offsets of a view.
func (t *Text) place(d Directive, v *view, from, to int, hidden *hiddenRun) {
	switch {
	case hidden != nil:
		d.Start, d.End, d.Read, d.Hidden, d.Decoded = hidden.start, hidden.end, v.text[from:to], true, true
	case v.split:
		d.Start, d.End, d.Read = 0, len(t.Raw), v.text
	default:
		d.Start, d.End = v.original(from, to)
		if v.span != nil {
			d.Read = readAs(v.text[from:to])
		}
	}
	t.add(d)
}

// add keeps one directive of a kind for one place, and no suspicion where a rule has spoken.
func (t *Text) add(d Directive) {
	for i := range t.Directives {
		o := &t.Directives[i]
		switch {
		case o.Start >= d.End || d.Start >= o.End:
		case d.Suspicion && (!o.Suspicion || o.Score >= d.Score):
			return
		case o.Suspicion:
			*o = d
			return
		case o.Kind == d.Kind:
			o.Score = max(o.Score, d.Score)
			if d.Start < o.Start || d.End > o.End { // both clauses are the evidence
				if d.End > o.End && d.Read != "" && o.Read != "" && d.Start <= o.Start {
					o.Read = d.Read
				}
				o.Start, o.End = min(o.Start, d.Start), max(o.End, d.End)
			}
			return
		}
	}
	t.Directives = append(t.Directives, d)
}

// telling are the classes without one of which no rule holds.
var telling = setOf(control, secret, env, people, sysPrompt, convo, talk, outside, address, path, credFile, envName, persona, asUser, fakeVoice, instr, obeyed, asked,
	user, users, consent, consented, simulated, step, otherTool, mailTool, otherWord, ident, bad, super, startup, memory, shellCmd, piped, regardless, conceal, covert, void,
	answer, omit, model)

// frames builds the frames of a text's sentences.
func (r *Reader) frames(s string, toks []token) {
	r.framer.s, r.framer.toks = s, toks
	r.framer.frames = r.framer.frames[:0]
	r.framer.carryN = -99
	if len(toks) < 2 || !r.tok.mask.any(telling) && r.tok.strange*2 <= r.tok.known && r.tok.others <= r.tok.known {
		return // nothing that a rule could speak of
	}
	for a := 0; a < len(toks); {
		b, others, english := a, 0, 0
		for b < len(toks) && toks[b].sentence == toks[a].sentence {
			switch {
			case toks[b].flags&foreign != 0, toks[b].set.empty() && s[toks[b].start] >= utf8.RuneSelf:
				others++
			case !toks[b].set.empty():
				english++
			}
			b++
		}
		if others > english {
			r.framer.other(a, b, a == 0)
		} else {
			r.framer.english(a, b, a == 0)
		}
		a = b
	}
}

// splitName puts spaces where words of an identifier meet.
func splitName(s string) view {
	var b []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if i > 0 && c >= 'A' && c <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			b = append(b, ' ')
		}
		if c == '_' || c == '-' || c == '.' {
			c = ' '
		}
		b = append(b, c)
	}
	return view{text: string(b), split: true}
}

// readAs spells posing letters as the ASCII they pose as.
func readAs(s string) string { return text.Unposed(s) }
