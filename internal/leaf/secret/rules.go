package secret

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// A rule is an entry of a rule file; fields with a TOML name are in gitleaks' format.
type rule struct {
	ID          string
	Description string
	Regex       string
	Path        string
	SecretGroup int `toml:"secretGroup"`
	Entropy     float64
	Keywords    []string
	Allowlists  []*allowlist

	Near bool // our extension: the regexp is a keyword, a separator and a value with a digit

	own    bool   // from our file, to which gitleaks' global stopwords do not apply
	shape  shape  // how to cut the text around a keyword
	reach  int    // longest text needed on either side of a keyword
	min    int    // shortest match, in bytes
	needle string // the regexp that is run: Regex without its idle prefix
	re     func() *regexp.Regexp
}

// A file is a rule file.
type file struct {
	Rules     []*rule
	Allowlist allowlist // for all rules
	// Documented lists keys printed in public documentation, useful only there.
	Documented []string
}

// A ruleset is what Find runs: rules in order of preference for overlapping matches.
type ruleset struct {
	rules      []*rule
	unusable   map[string]string // id → reason
	global     *allowlist
	documented map[string]bool
	keywords   *words
	byKeyword  [][]int32 // keyword → rules
}

// load parses both files on the first call, about 3 ms, which a run without definitions does not pay.
var load = sync.OnceValue(func() *ruleset {
	set, err := parseRules(gitleaksTOML, ownTOML)
	if err != nil {
		panic(err) // the data is embedded; TestRulesAreGitleaks parses it
	}
	return set
})

// parseRules parses the rule files. Rules that cannot apply to a bare string are left out with a reason.
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
	// A rule that knows its secret's form names it better than one that saw a label.
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

// index builds the prefilter: one automaton over all rules' keywords.
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

// unusable says why a rule cannot be applied to a string without a file name, or returns "".
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

// prepare determines how to run r. Its regexp is compiled when its keyword is first seen: compiling all would cost 10 ms, and an
// ordinary scan needs a handful.
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

// lazy compiles expr, which must be valid, on first use, so that it costs nothing at start-up.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// idlePrefix begins most of gitleaks' rules that look for a label. It affects only "match" allowlists and makes the regexp ten
// times slower, so it is cut off, and matches are extended by it afterwards.
const idlePrefix = `(?i)[\w.-]{0,50}?`

// gitleaks reads source code, where a key ends at a quote, white space or ";". In prose it also ends at punctuation: "the key is
// sk_live_…, use it".
const (
	sourceEnd = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)"
	proseEnd  = "(?:[\\x60'\"\\s;,)\\]}|&<]|\\.(?:\\s|$)|\\\\[nr]|$)"
)
