package namespace

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// likeness says how two names resemble each other.
type likeness uint8

const (
	caseOnly   likeness = iota // equal except for separators and case
	looksAlike                 // visually equal
	loosely                    // both combined
	oneEdit                    // one character inserted, deleted or replaced
)

func (l likeness) String() string {
	return [...]string{"differs only in separators or letter case", "looks the same", "looks the same but for separators and letter case", "differs in one character"}[l]
}

// A neighbour is a near name, by index.
type neighbour struct {
	name int
	how  likeness
}

const (
	// minLetters is the shortest length for which one edit makes a near name: "get" and "set" are one edit apart, as
	// are most words of three letters from some other.
	minLetters = 4
	// maxRunes is the longest name compared by edits; for longer ones only the other likenesses count. MCP recommends
	// at most 128 characters for tool names.
	maxRunes = 128
	// maxNear limits the near names of one name. Only hostile catalogs have more.
	maxNear = 50
)

// nearNames returns the near names of each name. names must be distinct. It takes linear time: only near pairs are considered.
func nearNames(names []string) [][]neighbour {
	x := &index{names: names, near: make([][]neighbour, len(names)), full: make([]bool, len(names))}
	x.alike(caselessKey, caseOnly)
	x.alike(visualKey, looksAlike)
	x.alike(func(n string) string { return caselessKey(text.Skeleton(n)) }, loosely)
	x.edits()
	for _, near := range x.near {
		slices.SortFunc(near, func(a, b neighbour) int { return cmp.Compare(a.name, b.name) })
	}
	return x.near
}

type index struct {
	names []string
	near  [][]neighbour
	full  []bool
}

func (x *index) addName(of, name int, how likeness) {
	if len(x.near[of]) >= maxNear {
		x.full[of] = true
		return
	}
	if !slices.ContainsFunc(x.near[of], func(n neighbour) bool { return n.name == name }) {
		x.near[of] = append(x.near[of], neighbour{name, how})
	}
}

// alike makes neighbours of names with the same key.
func (x *index) alike(key func(string) string, how likeness) {
	groups := make(map[string][]int, len(x.names))
	for i, n := range x.names {
		if k := key(n); k != "" {
			groups[k] = append(groups[k], i)
		}
	}
	for _, g := range groups { // each name is in one group: order is irrelevant
		x.group(g, how, func(int, int) bool { return true })
	}
}

// group makes neighbours of all pairs in a group that fits accepts. It stops at each name's limit, which keeps hostile groups linear.
func (x *index) group(g []int, how likeness, fits func(a, b int) bool) {
	for at, a := range g {
		// Start after the name and wrap around, so that the limit does not omit the same names for all.
		for i := 1; i < len(g) && i <= 2*maxNear && !x.full[a]; i++ {
			if b := g[(at+i)%len(g)]; fits(a, b) {
				x.addName(a, b, how)
			}
		}
	}
}

// caselessKey is a name without separators, accents and case.
func caselessKey(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-./: \t", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// visualKey is a name with characters that fonts draw alike unified.
func visualKey(name string) string {
	return strings.ToLower(looks.Replace(text.Skeleton(name)))
}

// looks holds the ASCII characters that common fonts draw alike (UTS #39).
var looks = strings.NewReplacer("I", "l", "1", "l", "|", "l", "0", "o", "O", "o", "rn", "m")

// A deletion is a name with one character omitted. Two names with an equal deletion at the same place are one replacement
// apart; a name that equals one is one insertion away. So pairs need no verification except for hash collisions.
type deletion struct {
	hash uint64
	at   int32 // the omitted character, -1 for the name itself
	name int32
}

func (x *index) edits() {
	seed := maphash.MakeSeed()
	var ds []deletion
	runes := make([][]rune, len(x.names))
	var buf []byte
	for i, n := range x.names {
		if len(n) > 4*maxRunes || letters(n) < minLetters {
			continue
		}
		rs := []rune(n)
		if len(rs) > maxRunes {
			continue
		}
		runes[i] = rs
		ds = append(ds, deletion{maphash.String(seed, n), -1, int32(i)})
		pos := 0
		for at, r := range rs {
			next := pos + utf8.RuneLen(r)
			buf = append(append(buf[:0], n[:pos]...), n[next:]...)
			ds = append(ds, deletion{maphash.Bytes(seed, buf), int32(at), int32(i)})
			pos = next
		}
	}
	slices.SortFunc(ds, func(a, b deletion) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at), cmp.Compare(a.name, b.name))
	})
	fits := func(a, b int) bool { return oneEditApart(runes[a], runes[b]) && !numbering(runes[a], runes[b]) }
	for len(ds) > 0 {
		end := 1
		for end < len(ds) && ds[end].hash == ds[0].hash {
			end++
		}
		x.bucket(ds[:end], fits)
		ds = ds[end:]
	}
}

// bucket handles the deletions with one hash, by place. The first may be the name itself.
func (x *index) bucket(ds []deletion, fits func(a, b int) bool) {
	if len(ds) < 2 {
		return
	}
	if whole := int(ds[0].name); ds[0].at < 0 {
		ds = ds[1:]
		for _, d := range ds { // each is longer by one, so a name occurs at most as often as it is long
			if longer := int(d.name); longer != whole && fits(whole, longer) {
				x.addName(longer, whole, oneEdit)
				x.addName(whole, longer, oneEdit)
			}
		}
	}
	var g []int
	for len(ds) > 0 {
		g = g[:0]
		end := 0
		for end < len(ds) && ds[end].at == ds[0].at {
			g = append(g, int(ds[end].name))
			end++
		}
		x.group(g, oneEdit, fits)
		ds = ds[end:]
	}
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// oneEditApart reports whether one insertion, deletion or replacement turns a into b.
func oneEditApart(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i < len(a) && slices.Equal(a[i+1:], b[i+1:])
	case 1:
		return slices.Equal(a[i:], b[i+1:])
	}
	return false
}

// numbering reports whether two names count: they differ in the digits of a number that both have ("v1" and "v2",
// "step_9" and "step_10"), not in whether there is a number ("read_file2").
func numbering(a, b []rune) bool {
	return numbersOut(a) == numbersOut(b)
}

func numbersOut(rs []rune) string {
	var b strings.Builder
	in := false
	for _, r := range rs {
		digit := unicode.IsDigit(r)
		if !digit {
			b.WriteRune(r)
		} else if !in {
			b.WriteByte('0')
		}
		in = digit
	}
	return b.String()
}
