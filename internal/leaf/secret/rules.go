package secret

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// A rule is one entry of a rule file; the fields with a TOML name are gitleaks' format.
type rule struct {
	ID          string
	Description string
	Regex       string
	Path        string
	SecretGroup int `toml:"secretGroup"`
	Entropy     float64
	Keywords    []string
	Allowlists  []*allowlist

	Near bool // ours only: the regexp is a keyword, a separator and a value with a digit

	own    bool   // from our file, where gitleaks' global stopwords do not hold
	shape  shape  // how to cut the text around a keyword for the regexp
	reach  int    // longest text the regexp can need on either side of a keyword
	min    int    // shortest match, in bytes
	needle string // the regexp as run: Regex without its idle prefix
	re     func() *regexp.Regexp
}

// A file is a rule file.
type file struct {
	Rules     []*rule
	Allowlist allowlist // of all rules
	// Documented lists keys printed in public documentation, and only there of use.
	Documented []string
}

// A ruleset is what Find runs: rules in order of preference where two match one place.
type ruleset struct {
	rules      []*rule
	unusable   map[string]string // id to reason
	global     *allowlist
	documented map[string]bool
	keywords   *words
	byKeyword  [][]int32 // keyword to rules
}

// load parses both files on the first call, about 3 ms, so that a run which finds no
// definition to look at does not pay.
var load = sync.OnceValue(func() *ruleset {
	set, err := parseRules(gitleaksTOML, ownTOML)
	if err != nil {
		panic(err) // the data is compiled in; TestRulesAreGitleaks parses it
	}
	return set
})

// parseRules reads the rule files. A rule that cannot speak about a bare string is left out and
// its reason kept.
func parseRules(theirs, ours []byte) (*ruleset, error) {
	var g, o file
	if err := toml.Unmarshal(theirs, &g); err != nil {
		return nil, fmt.Errorf("gitleaks.toml: %w", err)
	}
	if err := toml.Unmarshal(ours, &o); err != nil {
		return nil, fmt.Errorf("own.toml: %w", err)
	}
	set := &ruleset{unusable: map[string]string{}, global: g.Allowlist.ready(), documented: map[string]bool{}}
	for _, d := range o.Documented {
		set.documented[d] = true
	}
	for _, r := range o.Rules {
		r.own = true
	}
	// A rule that knows the form of its secret names it better than one that saw a label.
	all := append(o.Rules, g.Rules...)
	for _, s := range []shape{token, loose, labelled} {
		for _, r := range all {
			if why := r.unusable(); why != "" {
				set.unusable[r.ID] = why
			} else if r.prepare(); r.shape == s {
				set.rules = append(set.rules, r)
			}
		}
	}
	set.index()
	return set, nil
}

// index builds the prefilter: one automaton over the keywords of all rules.
func (set *ruleset) index() {
	number := map[string]int{}
	var list []string
	for i, r := range set.rules {
		for _, k := range r.Keywords {
			k = strings.ToLower(k)
			n, ok := number[k]
			if !ok {
				n = len(list)
				number[k] = n
				list = append(list, k)
				set.byKeyword = append(set.byKeyword, nil)
			}
			set.byKeyword[n] = append(set.byKeyword[n], int32(i))
		}
	}
	set.keywords = newWords(list)
}

// unusable says why a rule cannot be run on a string without a file name, or "".
func (r *rule) unusable() string {
	switch {
	case r.Regex == "":
		return "looks at file names only"
	case r.Path != "":
		return "holds for certain file names only"
	case len(r.Keywords) == 0:
		return "has no keyword: it would run on every string"
	}
	return ""
}

// prepare works out how to run r. The regexp itself is compiled when its keyword is first
// seen: all of them would cost 10 ms, an ordinary scan needs a handful.
func (r *rule) prepare() {
	if r.re != nil {
		return
	}
	r.needle = strings.TrimPrefix(r.Regex, idlePrefix)
	if r.needle != r.Regex {
		r.needle = "(?i)" + r.needle
	}
	r.needle = strings.Replace(r.needle, sourceEnd, proseEnd, 1)
	r.re = lazy(r.needle)
	r.measure()
	for _, a := range r.Allowlists {
		a.ready()
	}
}

// lazy compiles expr, which must be right, when first asked: start-up pays for none.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// idlePrefix starts most of gitleaks' rules that look for a label. It takes part in no
// decision but that of "match" allowlists, and makes the regexp ten times slower, so it is
// cut off and matches are widened by it afterwards.
const idlePrefix = `(?i)[\w.-]{0,50}?`

// gitleaks reads source code, where a key ends at a quote, white space or ";". In prose it
// also ends at the sentence's own marks: "the key is sk_live_…, use it".
const (
	sourceEnd = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)"
	proseEnd  = "(?:[\\x60'\"\\s;,)\\]}|&<]|\\.(?:\\s|$)|\\\\[nr]|$)"
)
