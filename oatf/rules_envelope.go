package oatf

import (
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

const attackIDPattern = `^[A-Z][A-Z0-9-]*-[0-9]{3,}$`

var attackIDRegexp = lazyregexp.New(attackIDPattern)

// envelopeRules checks the attack's own fields (§4).
func (c *checker) envelopeRules() {
	c.oatfFirst()
	a := c.attack
	if v := memberOfKind(a, "id", rawjson.String); v.Exists() && !attackIDRegexp.MatchString(v.Text()) {
		c.rule("V-023", a, "id", "the id %q has not the form PREFIX-000, such as OATF-027", excerpt.Clip(v.Text(), mostQuoted))
	}
	if n, ok := a.Get("version").Int(); ok && n < 1 {
		c.rule("V-035", a, "version", "the version is %d: versions count up from 1", n)
	}
	if v := memberOfKind(a, "grace_period", rawjson.String); v.Exists() {
		if _, err := match.ParseDuration(v.Text()); err != nil {
			c.rule("V-046", a, "grace_period", "%v", err)
		}
	}
	c.checkPercent("V-017", memberOfKind(a, "severity", rawjson.Object), "confidence")
	c.impactsDiffer(memberOfKind(a, "impact", rawjson.Array))
	if hasMember(a, "correlation") && !hasMember(a, "indicators") {
		c.rule("V-047", a, "correlation", "there are no indicators to correlate: add some, or leave correlation out")
	}
}

// oatfFirst is W-001, required by V-002.
func (c *checker) oatfFirst() {
	for m := range c.root.Members() {
		if m.Key.Text() != "oatf" && c.root.Get("oatf").Exists() {
			c.rule("W-001", c.root, "oatf", "oatf should be the first key, for whoever opens the file")
		}
		return
	}
}

// checkPercent reports an integer outside 0 to 100.
func (c *checker) checkPercent(rule string, v rawjson.Value, name string) {
	if n, ok := v.Get(name).Int(); ok && (n < 0 || n > 100) {
		c.rule(rule, v, name, "the %s is %d: want 0 to 100", name, n)
	}
}

func (c *checker) impactsDiffer(list rawjson.Value) {
	seen := map[string]bool{}
	var twice []string
	for _, v := range list.Elements() {
		if v.Kind() == rawjson.String && seen[v.Text()] {
			twice = append(twice, excerpt.Clip(v.Text(), mostQuoted))
		}
		seen[v.Text()] = true
	}
	if len(twice) > 0 {
		c.rule("V-045", list, "", "stands twice in the list: %s", strings.Join(twice, ", "))
	}
}
