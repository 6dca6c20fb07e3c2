package report

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// sarifRules holds the rules that results refer to by index.
type sarifRules struct {
	list  []result.Rule
	index map[finding.Rule]int
}

// rulesOf returns the rules that have results, once each: all requested rules would be half a megabyte. A rule that the
// report does not describe gets a stand-in, since code hosts reject a result without its rule.
func rulesOf(r *result.Report) sarifRules {
	rules := sarifRules{index: map[finding.Rule]int{}}
	add := func(rule result.Rule) {
		rules.index[rule.ID] = len(rules.list)
		rules.list = append(rules.list, rule)
	}
	ofFinding := func(f *finding.Finding) {
		if _, ok := rules.index[f.Rule]; ok {
			return
		}
		if i := slices.IndexFunc(r.Rules, func(rule result.Rule) bool { return rule.ID == f.Rule }); i >= 0 {
			add(r.Rules[i])
		} else {
			add(result.Rule{ID: f.Rule, Name: f.Name, Severity: f.Severity, Advice: f.Advice, Taxonomy: f.Taxonomy,
				Doc: "A finding of this rule is in the report, which does not describe the rule itself."})
		}
	}
	for i := range r.Findings {
		ofFinding(&r.Findings[i])
	}
	for i := range r.Suppressed {
		ofFinding(&r.Suppressed[i].Finding)
	}
	for i := range r.Attacks {
		if rule := attackRule(&r.Attacks[i]); r.Attacks[i].Exploited() {
			if _, ok := rules.index[rule.ID]; !ok {
				add(rule)
			}
		}
	}
	if r.Failed() > 0 {
		add(result.Rule{ID: expectationRule, Name: "expectation", Severity: finding.High, Doc: "A result is not what the suite expects."})
	}
	return rules
}

// descriptor returns the SARIF descriptor of a rule; security says whether it is about security.
func descriptor(r *result.Rule, security bool) object {
	short := cmp.Or(r.Name, string(r.ID))
	full, _, _ := strings.Cut(strings.TrimSpace(r.Doc), "\n\n")
	var tags []string
	severity := ""
	if security {
		tags, severity = ruleTags(r), securitySeverity(r.Severity)
	}
	return object{
		"id", r.ID, "name?", r.Name, "shortDescription", object{"text", strings.ReplaceAll(short, "-", " ")}, "fullDescription", object{"text", cmp.Or(full, short)},
		"help", ruleHelp(r), "helpUri?", rulePage(r, checksPage), "defaultConfiguration", object{"level", sarifLevel(r.Severity)},
		// Tags and precision are SARIF and GitHub vocabulary, the rest is our own.
		"properties", object{"tags?", tags, "security-severity?", severity, "precision?", precision(r.Maturity), "maturity?", r.Maturity, "taxonomy?", r.Taxonomy},
	}
}

// ruleHelp is the documentation of a rule. The plain text is the Markdown itself, which is readable as it is.
func ruleHelp(r *result.Rule) object {
	var text, mark []string
	add := func(label, s string) {
		if s == "" {
			return
		}
		if label == "" {
			text, mark = append(text, s), append(mark, s)
			return
		}
		text, mark = append(text, label+": "+s), append(mark, "**"+label+":** "+s)
	}
	add("", strings.TrimSpace(r.Doc))
	add("What to do", r.Advice)
	for _, t := range r.Taxonomy {
		add(t.System, strings.TrimSpace(t.ID+" "+t.Name)+" ("+t.Fit+")")
	}
	add("Source", r.Source)
	if text == nil {
		text, mark = []string{string(r.ID)}, []string{string(r.ID)}
	}
	return object{"text", strings.Join(text, "\n\n"), "markdown?", strings.Join(mark, "\n\n")}
}

// checksPage is the address of this build's docs/checks.md, "" for none. A build sets it: -ldflags "-X
// gauntlet/report.checksPage=https://…/docs/checks.md".
var checksPage string

// rulePage is the address of our page about a rule, "" for none. Pages by others are references and go into the help text.
func rulePage(r *result.Rule, checksPage string) string {
	page := webURI(checksPage)
	if page == "" || r.Maturity == "" { // attacks and expectations have no page
		return ""
	}
	return page + "#" + strings.ToLower(strings.ReplaceAll(string(r.ID), "/", "")) + "-" + r.Name
}

// ruleTags returns the tags that code hosts filter by. CWE ids take GitHub's form.
func ruleTags(r *result.Rule) []string {
	tags := []string{"security"}
	add := func(t string) {
		if t != "" && !slices.Contains(tags, t) { // the standard requires unique tags
			tags = append(tags, t)
		}
	}
	add(r.Axis)
	for _, t := range r.Taxonomy {
		if t.System == "CWE" {
			add("external/cwe/" + strings.ToLower(t.ID))
		} else {
			add(t.System + " " + t.ID)
		}
	}
	return tags
}

// securitySeverity maps our five severities to the middle of GitHub's bands (critical above 9.0, high from 7.0, medium
// from 4.0, low from 0.1). 0.0 means no security severity.
func securitySeverity(s finding.Severity) string {
	switch s {
	case finding.Critical:
		return "9.5"
	case finding.High:
		return "8.0"
	case finding.Medium:
		return "5.5"
	case finding.Low:
		return "2.0"
	}
	return "0.0"
}

// precision claims only what was measured: nothing for an experimental check.
func precision(maturity string) string {
	if maturity == "stable" {
		return "high"
	}
	return ""
}

// webURI returns s in the strict form that the standard requires, "" if it is not a web address.
func webURI(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return u.String()
}
