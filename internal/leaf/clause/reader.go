package clause

import (
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// A Reader turns strings into Texts. It reuses its memory, so it serves one goroutine.
type Reader struct {
	// Names tells what an identifier in the text means in the definition at hand; nil
	// knows none.
	Names func(string) Name
	// OwnHost tells whether a host belongs to the server at hand; nil knows none.
	OwnHost func(string) bool

	// Alone is set where the server has one tool, so that "other tools" are not its own.
	Alone bool

	tok       tokenizer
	framer    framer
	found     []found
	place     Place
	evidence  evidence
	contents  []sentenceContent
	signs     []sign // of the sentence that is weighed
	spoken    []spokenOf
	counted   []uint32 // by the number of a weight: in which sentence it was counted last
	sentences uint32   // so far
	purpose   purpose
	own       classSet // the words of the tool's name
	models    bool     // the tool works with language models
}

// A Text is what one string says once it is read.
type Text struct {
	Raw        string
	Marks      []text.Mark
	Blobs      []text.Blob
	Directives []Directive
}

// Begin makes the reader forget the definition before, and says what the next one is for.
func (r *Reader) Begin(b Business) {
	r.tok.names, r.tok.place, r.framer.names = r.Names, r.OwnHost, r.Names
	r.ownWords(b.Name)
	r.framer.carry = classSet{}
	r.purpose.business, r.purpose.known = b, false
}

// shortest is the length in bytes below which an ASCII string can hold nothing to report:
// most strings of a schema are "string" and "object".
const shortest = 12

// Read reads one string that stands at a place of its definition.
func (r *Reader) Read(s string, at Place) Text {
	t := Text{Raw: s}
	r.place = at
	plain := text.Plain(s)
	if plain && len(s) < shortest {
		return t
	}
	f := view{text: s}
	if !plain {
		t.Marks = text.Marks(s)
		folded := text.Fold(s)
		f = view{folded.Text(), folded.Span}
	}
	r.tok.names, r.tok.place = r.Names, r.OwnHost
	r.view(&t, &f, nil)
	if calm, shouted := unshout(f.text); shouted {
		r.view(&t, &view{calm, f.span}, nil)
	}
	if (at == SlotName || at == Value) && identifier(s) {
		r.slot(&t, s)
	}
	// Encodings are looked for in the folded text, or one zero-width character would
	// break them.
	t.Blobs = append(append(text.Blobs(f.text), text.SpacedLetters(f.text)...), r.rotatedText(f.text)...)
	for i := range t.Blobs {
		b := &t.Blobs[i]
		b.Start, b.End = f.original(b.Start, b.End)
		if b.Decoded != "" {
			r.inner(&t, b.Decoded, b.Start, b.End, false)
			if b.Encoding == "spaced letters" {
				r.inner(&t, b.Decoded, b.Start, b.End, true)
			}
		}
	}
	for i := range t.Marks {
		if m := &t.Marks[i]; m.Decoded != "" {
			r.inner(&t, m.Decoded, m.Start, m.End, false)
		}
	}
	return t
}

// rotatedText returns what a text holds in rot13, if its words look like it.
func (r *Reader) rotatedText(s string) []text.Blob {
	if !r.tok.mask.has(rotated) {
		return nil
	}
	return text.Rot13(s)
}

// A view is a string as it is read, with the way back.
type view struct {
	text string
	span func(start, end int) (int, int) // nil if nothing moved
}

func (v *view) original(start, end int) (int, int) {
	if v.span == nil {
		return start, end
	}
	return v.span(start, end)
}

type hiddenRun struct{ start, end int }

// inner reads text that was hidden in s[start:end]. Where segment is set, it has no
// boundaries between words.
func (r *Reader) inner(t *Text, decoded string, start, end int, segment bool) {
	folded := text.Fold(decoded)
	v := view{folded.Text(), folded.Span}
	at := r.place
	r.place = Slot // whatever is hidden is meant for somebody
	r.read(t, &v, &hiddenRun{start, end}, segment)
	r.place = at
}

func (r *Reader) view(t *Text, v *view, hidden *hiddenRun) { r.read(t, v, hidden, false) }

func (r *Reader) read(t *Text, v *view, hidden *hiddenRun, segment bool) {
	r.frames(v.text, segment)
	r.found = r.weigh(r.judge(r.found[:0]))
	fs, toks := r.framer.frames, r.framer.toks
	for _, d := range r.found {
		from, to := int(toks[fs[d.first].first].start), int(toks[fs[d.last].last].end)
		out := Directive{Kind: d.kind, Says: d.says, Doubtful: d.doubtful, Likely: d.likely}
		for i := d.first; i <= d.last; i++ {
			out.Hidden = out.Hidden || fs[i].hidden
		}
		if hidden != nil {
			out.Start, out.End, out.Read, out.Hidden, out.Decoded = hidden.start, hidden.end, v.text[from:to], true, true
		} else {
			out.Start, out.End = v.original(from, to)
			if v.span != nil {
				out.Read = readAs(v.text[from:to])
			}
		}
		if out.Hidden || out.Decoded {
			out.Doubtful, out.Likely = false, false
		}
		t.add(out)
	}
}

// add keeps one directive of a kind for one place.
func (t *Text) add(d Directive) {
	for i := range t.Directives {
		if o := &t.Directives[i]; o.Kind == d.Kind && o.Start < d.End && d.Start < o.End {
			o.Doubtful, o.Likely = o.Doubtful && d.Doubtful, o.Likely && d.Likely
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
var telling = setOf(secret, env, people, sysPrompt, convo, talk, utterance, outside, message, spoken, address, path, credFile, envName, persona, asUser,
	fakeVoice, instr, obeyed, asked, user, users, consent, consented, simulated, step, otherTool, mailTool, otherWord, ident, bad, super, better, praise,
	urgency, promo, startup, memory, shellCmd, piped, regardless, conceal, covert, void, outcome, answer, nobody, falsify, omit, hide, account, rotated, real)

// frames splits a text into tokens, sentences and frames.
func (r *Reader) frames(s string, segment bool) {
	r.framer.s, r.framer.toks = s, r.tok.run(s, segment)
	r.framer.frames = r.framer.frames[:0]
	toks := r.framer.toks
	r.framer.carryN = -99
	if len(toks) < 2 || !r.tok.mask.any(telling) && r.tok.strange*2 <= r.tok.known && r.tok.others <= r.tok.known {
		return // nothing that a rule could speak of, as in most texts
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

// slot reads the name of a parameter as the words it is made of:
// content_from_reading_ssh_key, readSecretFile.
func (r *Reader) slot(t *Text, s string) {
	v := splitName(s)
	r.framer.s, r.framer.toks = v.text, r.tok.run(v.text, false)
	if says := r.slotName(v.text); says != "" {
		t.add(Directive{Kind: Leak, Says: says, Start: 0, End: len(s), Read: v.text})
		return
	}
	if len(r.framer.toks) > 0 {
		r.framer.frames = append(r.framer.frames[:0], frame{last: len(r.framer.toks) - 1, verb: -1})
		if says := r.namesAsset(); says != "" {
			t.add(Directive{Kind: Leak, Says: says, Start: 0, End: len(s), Read: v.text})
			return
		}
		for _, d := range r.weigh(nil) {
			t.add(Directive{Kind: d.kind, Says: d.says, Start: 0, End: len(s), Read: v.text})
		}
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
	return view{text: string(b)}
}

// readAs spells posing letters as the ASCII they pose as.
func readAs(s string) string { return text.Unposed(s) }
