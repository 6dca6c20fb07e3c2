package redact

import (
	"slices"
	"strings"
)

const (
	// maxEscapes bounds nested escapes.
	maxEscapes = 4
	// maxCodes bounds nested encodings.
	maxCodes = 3
	// chunk is decoded at once, in bytes: a view takes nine bytes per byte.
	chunk = 256 << 10
	// widest is the longest encoding of one byte.
	widest = 16
	// budget bounds the bytes of views searched per byte of text: text encoded in more ways at once is not followed further.
	budget = 64
)

// A span is a part of the text that contains a secret, in bytes.
type span struct {
	start, end int
	id         int   // the longest secret of those overlapping here
	others     []int // the others
}

// A search is one search of a chunk.
type search struct {
	*Redactor
	spans []span
	left  int // remaining budget
	edges
}

func allowance(n int) int { return budget*n + 4096 }

// find returns the spans of secrets in text, in order and without overlaps.
func (r *Redactor) find(text string) []span {
	if r == nil || len(r.names) == 0 || len(text) < Shortest {
		return nil
	}
	var out []span
	overlap := widest*r.longest + 64
	size := max(chunk, 4*overlap)
	for start := 0; ; start += size - overlap {
		end := min(len(text), start+size)
		s := search{Redactor: r, left: allowance(end - start)}
		s.searchText(view{text: []byte(text[start:end]), base: start}, 0)
		out = append(out, s.spans...)
		if end == len(text) {
			return joined(out)
		}
	}
}

func joined(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var out []span
	for _, s := range spans {
		if len(out) == 0 || s.start >= out[len(out)-1].end {
			out = append(out, s)
			continue
		}
		last := &out[len(out)-1]
		if s.id != last.id && !slices.Contains(last.others, s.id) {
			last.others = append(last.others, s.id)
		}
		last.end = max(last.end, s.end)
	}
	return out
}

// searchText searches a view, its unescaped form, and the decoded runs in both.
func (s *search) searchText(v view, depth int) {
	s.inflate(&v, depth)
	for range maxEscapes + 1 {
		s.view(&v)
		if s.left < 0 {
			return
		}
		if depth < maxCodes {
			v.decoded(s.leastCode(), func(inner view) { s.code(inner, depth+1) })
		}
		next, changed := v.decodeEscapes()
		if !changed {
			return
		}
		v = next
	}
}

// leastCode is the minimum decoded length of a run: that of the shortest value, or enough to recognise the beginning of one.
func (s *search) leastCode() int {
	if s.on {
		return leastCoded
	}
	return max(s.least, leastCoded)
}

// code searches a decoded run. Most runs are not encoded, and decode to no text: only text is searched further.
func (s *search) code(v view, depth int) {
	if s.left -= len(v.text); s.left < 0 {
		return
	}
	if len(v.text) >= shortestBent && readable(v.text) {
		s.searchText(v, depth)
		return
	}
	s.matchView(&s.plain, &v)
	s.edge(&v)
	s.inflate(&v, depth)
}

// inflate searches the compressed parts of a view.
func (s *search) inflate(v *view, depth int) {
	if depth < maxCodes && s.left > 0 {
		v.inflated(s.left, func(inner view) { s.searchText(inner, depth+1) })
	}
}

// readable reports whether most bytes are text in UTF-8 or UTF-16.
func readable(text []byte) bool {
	n := 0
	for _, c := range text {
		if c >= ' ' && c < 0x7F || c == '\n' || c == '\r' || c == '\t' || c == 0 {
			n++
		}
	}
	return 8*n >= 7*len(text)
}

func (s *search) view(v *view) {
	s.left -= len(v.text)
	s.matchView(&s.plain, v)
	s.edge(v)
	if s.letters.patterns != nil {
		letters := v.squeeze()
		s.matchView(&s.letters, &letters)
	}
}

func (s *search) matchView(m *matcher, v *view) {
	m.find(v.text, func(i, j, id int) {
		start, end := v.sourceSpan(i, j)
		s.spans = append(s.spans, span{start: start, end: end, id: id})
	})
}

// A matcher finds patterns in texts.
type matcher struct {
	patterns map[uint32][]pattern // by their first four bytes, in lower case
	sieve    [1 << 10]uint64      // a bit for each hash of those
}

type pattern struct {
	text string
	id   int
	any  bool // ignore letter case
}

func (m *matcher) addPattern(text string, id int) {
	if m.patterns == nil {
		m.patterns = map[uint32][]pattern{}
	}
	k := head([]byte(text))
	drawn := strings.ContainsAny(text, "0123456789") || len(text) >= shortestPart // otherwise it is a word
	m.patterns[k] = append(m.patterns[k], pattern{text, id, drawn && len(text) >= shortestBent})
	// Longest first: if one value begins with another, the longer one matches.
	slices.SortStableFunc(m.patterns[k], func(a, b pattern) int { return len(b.text) - len(a.text) })
	h := hashHead(k)
	m.sieve[h>>6] |= 1 << (h & 63)
}

func head(t []byte) uint32 {
	return uint32(lowerASCII(t[0])) | uint32(lowerASCII(t[1]))<<8 | uint32(lowerASCII(t[2]))<<16 | uint32(lowerASCII(t[3]))<<24
}

func hashHead(k uint32) uint32 { return k * 0x9E3779B1 >> 16 }

// find calls found for every match. A match that begins inside another is reported too, unless it ends within it.
func (m *matcher) find(text []byte, found func(start, end, id int)) {
	if m.patterns == nil || len(text) < Shortest {
		return
	}
	k := head(text)
	for i := 0; ; i++ {
		if h := hashHead(k); m.sieve[h>>6]&(1<<(h&63)) != 0 {
			for _, p := range m.patterns[k] {
				if p.stands(text[i:]) {
					found(i, i+len(p.text), p.id)
				}
			}
		}
		if i+4 >= len(text) {
			return
		}
		k = k>>8 | uint32(lowerASCII(text[i+4]))<<24
	}
}

func (p *pattern) stands(t []byte) bool {
	if len(t) < len(p.text) {
		return false
	}
	t = t[:len(p.text)]
	if p.any {
		for i := range t {
			if lowerASCII(t[i]) != lowerASCII(p.text[i]) {
				return false
			}
		}
		return true
	}
	return string(t) == p.text
}

// edges says whether the text is an excerpt that may begin or end inside a value.
type edges struct {
	start, end int // offsets in the text; -1 if it was not cut there
	cut        []span
	on         bool
}

// An edge is a form of a value that an excerpt may contain partly.
type edge struct {
	text string
	id   int
}

// edge checks whether a view begins with the end of a value or ends with the beginning of one.
func (s *search) edge(v *view) {
	if !s.on || len(v.text) < Shortest {
		return
	}
	first, last := v.sourceSpan(0, len(v.text))
	for _, p := range s.parts {
		for n := min(len(p.text)-1, len(v.text)); n >= Shortest && last == s.end; n-- {
			if strings.HasSuffix(string(v.text), p.text[:n]) {
				start, _ := v.sourceSpan(len(v.text)-n, len(v.text))
				s.cut = append(s.cut, span{start: start, end: last, id: p.id})
				break
			}
		}
		for n := min(len(p.text)-1, len(v.text)); n >= Shortest && first == s.start; n-- {
			if strings.HasPrefix(string(v.text), p.text[len(p.text)-n:]) {
				_, end := v.sourceSpan(0, n)
				s.cut = append(s.cut, span{start: first, end: end, id: p.id})
				break
			}
		}
	}
}

// ReplaceExcerpt is Replace for an excerpt: a partial secret at its beginning or end becomes an ellipsis. Parts of less than
// [Shortest] bytes stay.
func (r *Redactor) ReplaceExcerpt(text string) string {
	text = r.CutStart(text)
	return r.CutEnd(text)
}

// CutEnd is Replace for a text that was cut at its end.
func (r *Redactor) CutEnd(text string) string {
	text = r.Replace(text)
	if cut := r.partsAt(text, edges{start: -1, end: len(text), on: true}); len(cut) > 0 {
		at := cut[0].start
		for _, c := range cut {
			at = min(at, c.start)
		}
		return text[:at] + "…"
	}
	return text
}

// CutStart is Replace for a text that was cut at its beginning.
func (r *Redactor) CutStart(text string) string {
	text = r.Replace(text)
	at := 0
	for _, c := range r.partsAt(text, edges{start: 0, end: -1, on: true}) {
		at = max(at, c.end)
	}
	if at == 0 {
		return text
	}
	return "…" + text[at:]
}

// partsAt returns the partial values at a text's edges. Of a longer text only as much is examined as a value may take.
func (r *Redactor) partsAt(text string, e edges) []span {
	if r == nil || len(r.names) == 0 {
		return nil
	}
	most := widest*r.longest + 64
	base := 0
	switch {
	case len(text) <= most:
	case e.end >= 0:
		base = len(text) - most
		text = text[base:]
	default:
		text = text[:most]
	}
	s := search{Redactor: r, left: allowance(len(text)), edges: e}
	s.searchText(view{text: []byte(text), base: base}, 0)
	return s.edges.cut
}
