package scanrun

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"strconv"
	"strings"

	"gauntlet/finding"
)

// The parts of SARIF 2.1.0 that are read (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
type (
	sarifRun struct {
		Tool struct {
			Driver     sarifComponent   `json:"driver"`
			Extensions []sarifComponent `json:"extensions"`
		} `json:"tool"`
		Results     []json.RawMessage `json:"results"` // null if there are none because the program failed (SARIF 3.14.23)
		Invocations []struct {
			Successful *bool `json:"executionSuccessful"`
		} `json:"invocations"`
	}
	sarifComponent struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string             `json:"id"`
		Name          string             `json:"name"`
		Short         sarifText          `json:"shortDescription"`
		Default       sarifDefault       `json:"defaultConfiguration"`
		Relationships []sarifRelation    `json:"relationships"`
		Properties    sarifRuleExtension `json:"properties"`
	}
	sarifText          struct{ Text string }
	sarifDefault       struct{ Level string }
	sarifReference     struct{ ID string }
	sarifRelation      struct{ Target sarifReference }
	sarifRuleExtension struct {
		Tags     []string        `json:"tags"`
		Severity json.RawMessage `json:"security-severity"` // a number from 0 to 10, usually as a string
		CWE      json.RawMessage `json:"cwe"`               // a text or a list of texts
	}
	sarifResult struct {
		RuleID       string                    `json:"ruleId"`
		RuleIndex    *int                      `json:"ruleIndex"`
		Rule         sarifReference            `json:"rule"`
		Kind         string                    `json:"kind"`
		Level        string                    `json:"level"`
		Baseline     string                    `json:"baselineState"`
		Message      sarifText                 `json:"message"`
		Taxa         []sarifReference          `json:"taxa"`
		Suppressions []struct{ Status string } `json:"suppressions"`
		Locations    []sarifLocation           `json:"locations"`
		Properties   struct {
			Tool      string `json:"tool"`
			ToolName  string `json:"toolName"`
			ToolName2 string `json:"tool_name"`
			Parameter string `json:"parameter"`
			sarifRuleExtension
		} `json:"properties"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct{ URI string } `json:"artifactLocation"`
			Region   struct{ StartLine, EndLine int }
		} `json:"physicalLocation"`
		Logical []struct{ Name, FullyQualifiedName string } `json:"logicalLocations"`
	}
)

func (f *importedFile) readSARIF(runs []json.RawMessage) {
	for _, text := range runs {
		var run sarifRun
		if !decode(text, &run) {
			f.Source.Left++
			continue
		}
		f.Undone = cmp.Or(f.Undone, run.undone())
		rules := map[string]*sarifRule{}
		components := append([]sarifComponent{run.Tool.Driver}, run.Tool.Extensions...)
		for i := range components {
			for k := range components[i].Rules {
				if rule := &components[i].Rules[k]; rules[rule.ID] == nil {
					rules[rule.ID] = rule
				}
			}
		}
		for _, text := range run.Results {
			var r sarifResult
			if !decode(text, &r) || !r.fails() {
				f.Source.Left++
				continue
			}
			if !f.add(r.claim(run.Tool.Driver.Name, r.ruleOf(rules, run.Tool.Driver.Rules))) {
				return
			}
		}
	}
}

// undone says what a run says of itself that it did not do, "" for nothing.
func (run *sarifRun) undone() string {
	for _, i := range run.Invocations {
		if i.Successful != nil && !*i.Successful {
			return "executionSuccessful is false"
		}
	}
	if run.Results == nil {
		return "it has no results"
	}
	return ""
}

// fails reports whether a result is a current, unaccepted failure (SARIF 3.27.9, 3.27.23, 3.27.24).
func (r *sarifResult) fails() bool {
	for _, s := range r.Suppressions {
		if s.Status == "" || s.Status == "accepted" {
			return false
		}
	}
	switch r.Kind {
	case "pass", "notApplicable", "informational":
		return false
	}
	return r.Baseline != "absent"
}

// ruleOf finds the rule by id, else by its index in the driver.
func (r *sarifResult) ruleOf(rules map[string]*sarifRule, driver []sarifRule) *sarifRule {
	id := cmp.Or(r.RuleID, r.Rule.ID)
	if rule := rules[id]; rule != nil {
		return rule
	}
	if n := r.RuleIndex; id == "" && n != nil && *n >= 0 && *n < len(driver) {
		return &driver[*n]
	}
	return &sarifRule{ID: id}
}

func (r *sarifResult) claim(tool string, rule *sarifRule) claim {
	var c claim
	c.Tool, c.Rule = tool, cmp.Or(r.RuleID, r.Rule.ID, rule.ID)
	c.Message = cmp.Or(r.Message.Text, rule.Short.Text, rule.Name)
	c.Severity = r.severity(rule)
	c.Parameter = r.Properties.Parameter
	c.name(r.Properties.Tool, "")
	c.name(r.Properties.ToolName, "")
	c.name(r.Properties.ToolName2, "")
	if len(r.Locations) > 0 {
		at := &r.Locations[0]
		c.Location.File = filePath(at.Physical.Artifact.URI)
		c.Location.Line = max(at.Physical.Region.StartLine, 0)
		c.Location.EndLine = max(at.Physical.Region.EndLine, 0)
		for _, l := range at.Logical[:min(len(at.Logical), maxNames)] {
			c.name(l.Name, l.FullyQualifiedName)
		}
	}
	words := []string{c.Rule, rule.Name}
	ties := append([]string{string(rule.Properties.CWE), string(r.Properties.CWE)}, rule.Properties.Tags...)
	ties = append(ties, r.Properties.Tags...)
	for _, t := range rule.Relationships {
		ties = append(ties, t.Target.ID)
	}
	for _, t := range r.Taxa {
		ties = append(ties, t.ID)
	}
	// Some tools give a CWE taxon as a bare number: without its taxonomy it says nothing.
	c.subject = subjectOf(words, ties)
	return c
}

// severity maps security-severity by the CVSS bands, else the level.
func (r *sarifResult) severity(rule *sarifRule) finding.Severity {
	for _, raw := range []json.RawMessage{r.Properties.Severity, rule.Properties.Severity} {
		score, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
		if err != nil || !(score > 0 && score <= 10) {
			continue
		}
		switch {
		case score >= 9:
			return finding.Critical
		case score >= 7:
			return finding.High
		case score >= 4:
			return finding.Medium
		}
		return finding.Low
	}
	switch cmp.Or(r.Level, rule.Default.Level) {
	case "error":
		return finding.High
	case "note":
		return finding.Low
	case "none":
		return finding.Info
	}
	return finding.Medium // "warning", the default of SARIF 3.27.10
}

// filePath returns a URI's path, cleaned; or "".
func filePath(uri string) string {
	if uri == "" {
		return ""
	}
	if u, err := url.Parse(uri); err == nil && (u.Scheme == "" || u.Scheme == "file") && u.Path != "" {
		uri = u.Path
	}
	return path.Clean(strings.ReplaceAll(uri, `\`, "/"))
}
