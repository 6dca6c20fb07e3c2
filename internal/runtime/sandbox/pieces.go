package sandbox

import (
	"cmp"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/leaf/text"
)

// A puzzle finds canaries that leave in pieces: in the names below a domain, in datagrams, requests or connections, to
// one place or to many. Pieces of a few letters are put one behind the other, for each domain and for all of them, as they come,
// backwards, and by the numbers that stand beside them; longer ones are held against the canaries whatever their order.
type puzzle struct {
	canaries []Canary
	finder   *redact.Redactor
	domains  map[string]*spread
	names    spread // below all domains
	sent     spread // to all domains
	cover    coverage
	told     map[string]bool   // canaries that were completed anywhere
	knocks   map[string]knocks // by domain
	bytes    int               // of all pieces
	full     bool              // there were more than are kept
}

func newPuzzle(canaries []Canary, f *redact.Redactor) *puzzle {
	return &puzzle{canaries: canaries, finder: f, domains: map[string]*spread{}, told: map[string]bool{}, knocks: map[string]knocks{}}
}

// The bounds on what is put together.
const (
	maxDomains  = 1000
	maxKept     = 16 << 20 // bytes of the pieces of all domains
	maxPieces   = 500      // of one domain, the last ones
	maxWords    = 64       // of a piece; what has more is none
	longestText = 1 << 10
	fewLetters  = 6   // longer pieces are found whatever their order
	shortWord   = 3   // a shorter word may number the pieces
	joinWindow  = 512 // what is searched on each side of a new piece, in bytes
	manyAlike   = 3   // as many pieces tell what all of them have
)

// spread is what went to a domain in pieces.
type spread struct {
	told   map[string]bool
	pieces []sentWords // in the order in which they were begun
}

// sentWords are the words of a piece. order is the turn of its connection or datagram: connections end in any order.
type sentWords struct {
	order int64
	words []string
}

// add takes what was sent at once to a host, in its turn, or a name that was looked up, without one: those stand between all others, and
// are put together by themselves. It returns the canaries that stand in it together with what was sent
// before, each once for a domain.
func (p *puzzle) add(host, text string, order int64) (found []string) {
	domain := registered(host)
	if order == 0 {
		domain = "names below " + domain
	}
	d := p.domains[domain]
	if d == nil {
		if len(p.domains) >= maxDomains || p.bytes > maxKept {
			p.full, p.bytes = true, 0
			clear(p.domains)
		}
		d = &spread{told: map[string]bool{}}
		p.domains[domain] = d
	}
	p.bytes += min(len(text), longestText)
	found = p.cover.add(p.canaries, host, text)
	words := wordsOf(text)
	if len(text) <= longestText && len(words) > 0 && len(words) <= maxWords {
		found = union(found, p.complete(d, words, order))
		found = union(found, p.completeAnywhere(host, text, words, order))
	}
	found = slices.DeleteFunc(found, func(n string) bool { return d.told[n] })
	for _, n := range found {
		d.told[n], p.told[n] = true, true
	}
	return found
}

func (p *puzzle) complete(d *spread, words []string, order int64) (found []string) {
	for _, joined := range d.add(words, order) {
		found = union(found, p.namesIn(joined))
	}
	return found
}

// completeAnywhere is complete for the pieces that went anywhere, of canaries that nobody was told of. The name of the place is no part
// of a piece, and what is a canary by itself, such as the token for a service, completes none.
func (p *puzzle) completeAnywhere(host, text string, words []string, order int64) []string {
	address := wordsOf(registered(host))
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(address, w) })
	if !slices.ContainsFunc(words, func(w string) bool { return len(w) <= fewLetters }) || len(p.namesIn(text)) > 0 {
		return nil
	}
	all := &p.sent
	if order == 0 {
		all = &p.names
	}
	return slices.DeleteFunc(p.complete(all, words, order), func(n string) bool { return p.told[n] })
}

// wordsOf separates words; a path is several.
func wordsOf(text string) (out []string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
		if strings.HasPrefix(w, "/") && strings.Count(w, "/") > 1 {
			out = append(out, strings.FieldsFunc(w, func(r rune) bool { return r == '/' })...)
			continue
		}
		out = append(out, w)
	}
	return out
}

// namesIn returns the canaries in a text, which may be written value by value behind names.
func (p *puzzle) namesIn(text string) []string {
	names := p.finder.Names(text)
	if joined := joinedValues(text); len(joined) >= redact.Shortest {
		names = union(names, p.finder.Names(joined))
	}
	return names
}

// registered is the domain that a name is below, or an address as it is.
func registered(host string) string {
	labels := strings.Split(cleanName(host), ".")
	if len(labels) <= 2 || strings.Trim(labels[len(labels)-1], "0123456789") == "" || strings.Contains(host, ":") {
		return host
	}
	return strings.Join(labels[len(labels)-2:], ".")
}

// isWord tells what pieces may consist of: letters, also those of base64.
func isWord(r rune) bool {
	return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r == '+' || r == '/'
}

// add keeps a piece and returns the texts around it that pieces make in each order.
func (d *spread) add(words []string, order int64) (out []string) {
	if len(d.pieces) == maxPieces {
		d.pieces = slices.Delete(d.pieces, 0, 1)
	}
	last := len(d.pieces)
	for last > 0 && d.pieces[last-1].order > order {
		last--
	}
	d.pieces = slices.Insert(d.pieces, last, sentWords{order, words})
	pieces := withoutForm(d.pieces)
	for i := range pieces {
		pieces[i].order = i
	}
	rest := func(p *piece) string { return p.rest }
	for _, text := range []func(*piece) string{func(p *piece) string { return p.all }, func(p *piece) string { return p.long }, rest} {
		out = append(out, joinAround(pieces, last, text))
	}
	slices.Reverse(pieces)
	out = append(out, joinAround(pieces, len(pieces)-1-last, rest))
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Or(a.number-b.number, a.order-b.order) })
	out = append(out, joinAround(pieces, slices.IndexFunc(pieces, func(p piece) bool { return p.order == last }), rest))
	slices.Sort(out)
	return slices.Compact(out)
}

// A piece is what of a text differs from the others of its form.
type piece struct {
	number          int    // the first number in it, -1 for none
	all, rest, long string // its words; those but for its number; those that are too long for one
	order           int
}

// withoutForm leaves out the words that all texts of as many words have at their place: the rest of a request.
func withoutForm(texts []sentWords) []piece {
	alike := map[int][]string{} // by the number of words: those that all have, "" for none
	count := map[int]int{}
	for _, t := range texts {
		words := t.words
		count[len(words)]++
		form := alike[len(words)]
		if form == nil {
			alike[len(words)] = slices.Clone(words)
			continue
		}
		for i, w := range words {
			if form[i] != w {
				form[i] = ""
			}
		}
	}
	out := make([]piece, len(texts))
	for i, t := range texts {
		p, words := &out[i], t.words
		p.number = -1
		for at, w := range words {
			if count[len(words)] >= manyAlike && alike[len(words)][at] != "" {
				continue
			}
			p.all += w
			if len(w) > shortWord {
				p.long += w
			}
			if n, err := strconv.Atoi(w); err == nil && p.number < 0 && len(w) <= 6 {
				p.number = n
			} else {
				p.rest += w
			}
		}
		if p.rest == "" { // it is no number of another word
			p.number, p.rest = -1, p.all
		}
	}
	return out
}

// joinAround joins the pieces around one, as far as a canary may reach.
func joinAround(pieces []piece, at int, text func(*piece) string) string {
	from, to := at, at+1
	for n := 0; from > 0 && n < joinWindow; from-- {
		n += len(text(&pieces[from-1]))
	}
	for n := 0; to < len(pieces) && n < joinWindow; to++ {
		n += len(text(&pieces[to]))
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(text(&pieces[i]))
	}
	return b.String()
}

// coverage holds what is sent against the canaries, as they are and in the encodings that keep pieces apart, and
// keeps which parts of each have left. Which order they have does not count, nor where each went.
type coverage struct {
	forms []form
	at    map[uint32][]spot // where each four characters stand, small
	sieve [1 << 12]uint64
	seen  int // characters that were held against them
}

// A form is a canary in one encoding, in small letters.
type form struct {
	canary int
	text   string
	bits   float64 // that one character tells
	left   []bool
	count  int
}

type spot struct {
	form int32
	at   int32
}

const (
	gram = 4
	// chance is how many bits a piece has to tell beyond those that everything sent so far may hold by chance.
	chance = 9
	// enough of a canary is known where it lacks less than a third.
	enoughOf, enough = 3, 2
)

// mostWays is over how many connections a canary is followed that leaves letter by letter.
const mostWays = 3

// uuencoding is the encoding of mail before MIME, whose letters are 64 signs from the blank or, for it, the backquote on.
var uuencoding = base64.NewEncoding("`!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_").WithPadding(base64.NoPadding)

// grow makes the forms when there is something to compare.
func (c *coverage) grow(canaries []Canary) {
	c.at = map[uint32][]spot{}
	for i := range canaries {
		v := canaries[i].Value
		if v == "" {
			continue
		}
		texts := []string{v, text.Rot13(v), hex.EncodeToString([]byte(v))}
		for skip := range 3 { // where the value begins in a longer text decides on its letters, but for the first
			in := []byte(strings.Repeat("x", skip) + v)
			texts = append(texts, base64.RawStdEncoding.EncodeToString(in)[skip*8/6+1:], uuencoding.EncodeToString(in)[skip*8/6+1:])
		}
		for ways := 2; ways <= mostWays; ways++ { // letter by letter over connections in turn
			var b strings.Builder
			for first := range ways {
				for at := first; at < len(v); at += ways {
					b.WriteByte(v[at])
				}
			}
			texts = append(texts, b.String())
		}
		for skip := range 5 {
			texts = append(texts, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(strings.Repeat("x", skip) + v))[skip*8/5+1:])
		}
		for _, in := range append(texts, redact.Renderings(v)...) {
			bits := 0.8 * math.Log2(62)
			if strings.Trim(v, hexLower) == "" {
				bits = 0.8 * 4
			}
			bits *= float64(min(len(v), len(in))) / float64(len(in))
			c.addForm(i, strings.ToLower(in), bits)
			c.addForm(i, text.Backwards(strings.ToLower(in)), bits)
		}
	}
}

func (c *coverage) addForm(canary int, text string, bits float64) {
	c.forms = append(c.forms, form{canary: canary, text: text, bits: bits, left: make([]bool, len(text))})
	for i := 0; i+gram <= len(text); i++ {
		k := gramAt(text, i)
		c.at[k] = append(c.at[k], spot{int32(len(c.forms) - 1), int32(i)})
		c.sieve[k*0x9E3779B1>>20] |= 1 << (k * 0x85EBCA6B >> 26)
	}
}

func gramAt(text string, i int) uint32 {
	return uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16 | uint32(text[i+3])<<24
}

// add returns the canaries of which enough has left, each once. What goes to the service that a credential is for
// tells nothing of that one.
func (c *coverage) add(canaries []Canary, host, text string) (found []string) {
	if c.at == nil {
		c.grow(canaries)
	}
	c.seen += len(text)
	need := math.Log2(float64(c.seen)) + chance
	text = strings.ToLower(text)
	for i := 0; i+gram <= len(text); i++ {
		k := gramAt(text, i)
		if c.sieve[k*0x9E3779B1>>20]&(1<<(k*0x85EBCA6B>>26)) == 0 {
			continue
		}
		for _, s := range c.at[k] {
			f := &c.forms[s.form]
			if s.at > 0 && i > 0 && f.text[s.at-1] == text[i-1] || f.count < 0 || canaries[f.canary].BelongsTo(host) {
				continue // the match began before this place, or counts no more
			}
			n := gram
			for i+n < len(text) && int(s.at)+n < len(f.text) && text[i+n] == f.text[int(s.at)+n] {
				n++
			}
			if float64(n)*f.bits < need {
				continue
			}
			for at := int(s.at); at < int(s.at)+n; at++ {
				if !f.left[at] {
					f.left[at] = true
					f.count++
				}
			}
			if enoughOf*f.count >= enough*len(f.text) {
				f.count = -1
				if name := canaries[f.canary].Name; !slices.Contains(found, name) {
					found = append(found, name)
				}
			}
		}
	}
	return found
}
