package text

import "strings"

// A Reader turns strings into Texts. It reuses its memory, so it serves one goroutine,
// and the Texts it made are good until Reset.
type Reader struct {
	times   []count // per pattern and state, how often it matched in the string at hand
	reading uint32  // number of that string
	// Names tells what an identifier in the text means in the definition at hand; nil
	// knows none.
	Names func(string) Name

	tok     tokenizer
	match   matcher
	signals []Signal
}

// A Name is what an identifier means in the definition at hand.
type Name uint8

// The meanings of a name.
const (
	Unknown   Name = iota
	Parameter      // a property of the definition's own schemas
	Sibling        // another tool of the same server
	Self           // the tool at hand
)

// A Text is what one string says once it is read.
type Text struct {
	Raw     string
	Marks   []Mark
	Blobs   []Blob
	Signals []Signal
}

// A Signal is a pattern found in a view of the string.
type Signal struct {
	Family, Name string
	Weight       int
	Says         string // what the text does, to follow "the description"
	Start, End   int    // byte offsets in the string; of the whole run if it was decoded
	Read         string // what was read there where it differs from the string itself
	Sentence     int    // place of the sentence, counted over all views
	Quoted       bool   // inside quotation marks
	Hidden       bool   // in a comment, decoded from an encoding, or spelt to deceive
	Decoded      bool   // in text that came out of an encoding
}

// Reset makes the memory of all Texts read so far available again.
func (r *Reader) Reset() { r.signals = r.signals[:0] }

// shortest is the length in bytes below which an ASCII string can hold no signal, blob
// or mark: most strings of a schema are "string" and "object".
const shortest = 12

// Read reads one string.
func (r *Reader) Read(s string) Text {
	t := Text{Raw: s}
	f := fold{text: s}
	if !plain(s) {
		t.Marks = Marks(s)
		f = foldString(s)
	} else if len(s) < shortest {
		return t
	}
	from := len(r.signals)
	r.reading++
	r.tok.names = r.Names
	r.view(&f, 0, nil)
	base := int(r.tok.sentence) + 2
	// Encodings are looked for in the folded text, or one zero-width character would
	// break them.
	t.Blobs = append(Blobs(f.text), SpacedLetters(f.text)...)
	for i := range t.Blobs {
		b := &t.Blobs[i]
		b.Start, b.End = f.span(b.Start, b.End)
		if b.Encoding == "spaced letters" && strings.IndexByte(b.Decoded, ' ') >= 0 {
			r.inner(b.Decoded, b.Start, b.End, base, false)
			base += int(r.tok.sentence) + 2
		}
		if b.Decoded != "" {
			r.inner(b.Decoded, b.Start, b.End, base, b.Encoding == "spaced letters")
			base += int(r.tok.sentence) + 2
		}
	}
	for i := range t.Marks {
		if m := &t.Marks[i]; m.Decoded != "" {
			r.inner(m.Decoded, m.Start, m.End, base, false)
			base += int(r.tok.sentence) + 2
		}
	}
	t.Signals = r.signals[from:len(r.signals):len(r.signals)]
	return t
}

// ReadName reads the name of a thing (a tool, a parameter) as the words it is made of:
// content_from_reading_ssh_key, readSecretFile.
func (r *Reader) ReadName(s string) Text {
	t := r.Read(s)
	if len(s) < shortest || !identifier(s) {
		return t
	}
	from := len(r.signals)
	f := splitName(s)
	r.tok.inName = true
	r.view(&f, 1<<20, nil)
	r.tok.inName = false
	t.Signals = append(t.Signals, r.signals[from:]...)
	return t
}

// splitName puts spaces where words of an identifier meet.
func splitName(s string) fold {
	var b []byte
	var offs []int32
	for i := 0; i < len(s); i++ {
		c := s[i]
		if i > 0 && c >= 'A' && c <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			b, offs = append(b, ' '), append(offs, int32(i))
		}
		if c == '_' || c == '-' || c == '.' {
			c = ' '
		}
		b, offs = append(b, c), append(offs, int32(i))
	}
	return fold{string(b), append(offs, int32(len(s)))}
}

// inner reads text that was hidden in s[start:end].
func (r *Reader) inner(decoded string, start, end, base int, segment bool) {
	f := foldString(decoded)
	r.view(&f, base, &hiddenRun{start, end, segment})
}

type hiddenRun struct {
	start, end int
	segment    bool
}

func (r *Reader) view(f *fold, base int, hidden *hiddenRun) {
	ws := r.tok.run(f.text, hidden != nil && hidden.segment)
	for a := 0; a < len(ws); {
		b := a
		var mask ClassSet
		for b < len(ws) && ws[b].sentence == ws[a].sentence {
			mask.addAll(ws[b].classes)
			b++
		}
		r.sentence(f, ws[a:b], mask, base, hidden)
		a = b
	}
}

func (r *Reader) sentence(f *fold, ws []word, mask ClassSet, base int, hidden *hiddenRun) {
	known := book().patterns
	for _, i := range r.match.among(mask) {
		p := &known[i]
		first, last, ok := p.match(ws, mask, &r.match)
		if !ok {
			continue
		}
		s := Signal{Family: p.family, Name: p.name, Weight: p.weight, Says: p.says, Sentence: base + int(ws[first].sentence)}
		s.Quoted = ws[first].flags&quoted != 0 && ws[last].flags&quoted != 0
		if s.Quoted && reported(ws[:first]) {
			s.Weight--
		}
		for first > 0 && ws[first-1].last >= ws[first].n { // quote the whole phrase
			first--
		}
		from, to := int(ws[first].start), int(ws[last].end)
		for _, w := range ws[first : last+1] {
			s.Hidden = s.Hidden || w.flags&(comment|posing|leet) != 0
		}
		if hidden != nil {
			s.Start, s.End, s.Read = hidden.start, hidden.end, f.text[from:to]
			s.Hidden, s.Decoded = true, true
		} else {
			s.Start, s.End = f.span(from, to)
			if f.offs != nil {
				s.Read = readAs(f.text[from:to])
			}
		}
		if r.enough(i, &s) {
			continue
		}
		r.signals = append(r.signals, s)
	}
}

// maxSignals is how often one pattern is kept in one string for each state of its signal:
// quoted or not, hidden or not. What is said of a string does not grow with repetition,
// but memory would.
const maxSignals = 8

type count struct {
	reading uint32
	n       uint8
}

// enough reports whether the pattern has been kept often enough in this string and state,
// and counts.
func (r *Reader) enough(pattern int32, s *Signal) bool {
	if r.times == nil {
		r.times = make([]count, 4*len(book().patterns))
	}
	at := 4 * pattern
	if s.Quoted {
		at++
	}
	if s.Hidden {
		at += 2
	}
	c := &r.times[at]
	if c.reading != r.reading {
		*c = count{reading: r.reading}
	}
	c.n++
	if c.n > maxSignals {
		c.n = maxSignals
		return true
	}
	return false
}

// reported reports whether what follows the words is quoted as a thing to detect or as
// an example.
func reported(before []word) bool {
	for i := range before {
		if w := &before[i]; w.flags&quoted == 0 && (w.classes.has(classDetect) || w.classes.has(classExample)) {
			return true
		}
	}
	return false
}

// readAs spells posing letters as the ASCII they pose as.
func readAs(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for _, w := range strings.SplitAfter(s, " ") {
		if sk, ok := skeleton(strings.TrimRight(w, " ")); ok && mixedScript(w) {
			b.WriteString(sk)
			b.WriteString(w[len(strings.TrimRight(w, " ")):])
			continue
		}
		b.WriteString(w)
	}
	return b.String()
}
