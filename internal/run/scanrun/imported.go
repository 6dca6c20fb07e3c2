package scanrun

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// Limits on one file, in addition to the reader's size limit.
const (
	maxImported = 10_000
	maxRuns     = 10_000 // trials, and attacks
	maxDepth    = 64
	maxText     = 2_000 // bytes of a message
	maxName     = 300   // bytes of any other text
	maxNames    = 8     // definition names in one result
)

// A importedFile is what was read from one report.
type importedFile struct {
	Source  result.ImportedFile
	Cut     bool   // more findings or runs than are read
	Undone  string // what its program did not do, by its own words
	claims  []claim
	probing []result.Probing
	attacks []result.AttackRun
}

// A claim is an imported finding that is not yet matched.
type claim struct {
	result.ImportedFinding
	names       []naming
	subject     subject
	fingerprint string // of this program's findings
}

// A naming is a definition's name in a report: alone and, if given, qualified.
type naming struct{ name, full string }

func (c *claim) name(name, full string) {
	if name = cmp.Or(name, full[strings.LastIndexByte(full, '/')+1:]); name != "" {
		c.names = append(c.names, naming{name, full})
	}
}

// parseImported parses a report. The error says why nothing could be read; a malformed result is counted and does not affect the
// others.
func parseImported(file, text string) (*importedFile, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if tree.Depth() > maxDepth {
		return nil, fmt.Errorf("it is nested %d deep, the limit is %d", tree.Depth(), maxDepth)
	}
	var top struct {
		Version  string            `json:"version"`
		Runs     []json.RawMessage `json:"runs"`
		Schema   string            `json:"schema_version"`
		Tool     struct{ Name string }
		Findings []json.RawMessage `json:"findings"`
		Probing  *struct {
			Server string            `json:"server"`
			Trials []json.RawMessage `json:"trials"`
		} `json:"probing"`
		Attacks []json.RawMessage `json:"attacks"`
	}
	f := &importedFile{Source: result.ImportedFile{File: file}}
	switch {
	case !decode([]byte(text), &top):
	case top.Runs != nil && strings.HasPrefix(top.Version, "2.1"):
		f.Source.Format = "sarif"
		f.readSARIF(top.Runs)
		return f, nil
	case top.Schema != "" && top.Tool.Name == "gauntlet" && top.Findings != nil:
		f.Source.Format = "gauntlet"
		f.readFindings(top.Findings)
		if p := top.Probing; p != nil {
			f.probing = []result.Probing{{Server: p.Server, Trials: decodeRuns[result.ProbeTrial](f, p.Trials)}}
		}
		f.attacks = decodeRuns[result.AttackRun](f, top.Attacks)
		if whole := new(result.Report); decode([]byte(text), whole) && !whole.Complete() {
			f.Undone = clip(whole.Undone()[0], maxText)
		}
		return f, nil
	}
	return nil, errors.New("it is neither SARIF 2.1.0 nor a JSON report of gauntlet")
}

// decode parses one value. Members of a wrong type count as absent; text that is no object is rejected.
func decode(text []byte, into any) bool {
	err := json.Unmarshal(text, into)
	var wrong *json.UnmarshalTypeError
	return err == nil || errors.As(err, &wrong) && wrong.Field != ""
}

// decodeRuns parses the well-formed runs.
func decodeRuns[T any](f *importedFile, texts []json.RawMessage) (out []T) {
	for _, text := range texts {
		if f.Source.Runs == maxRuns {
			f.Cut = true
			break
		}
		var one T
		if json.Unmarshal(text, &one) == nil {
			out = append(out, one)
			f.Source.Runs++
		}
	}
	return out
}

func (f *importedFile) readFindings(texts []json.RawMessage) {
	for _, text := range texts {
		var own finding.Finding
		if json.Unmarshal(text, &own) != nil {
			f.Source.Left++
			continue
		}
		var c claim
		c.Tool, c.Rule, c.Severity, c.Message = "gauntlet", string(own.Rule), own.Severity, own.Message
		at := own.Location
		c.Location = finding.Location{Server: at.Server, Kind: at.Kind, Item: at.Item, File: at.File, Line: max(at.Line, 0), EndLine: max(at.EndLine, 0)}
		if rest, ok := cutProperties(at.Pointer); ok {
			c.Parameter = rest
		}
		c.fingerprint, c.subject = own.Fingerprint, subjectOfFinding(&own)
		if !f.add(c) {
			return
		}
	}
}

// cutProperties returns the tool parameter a pointer leads to.
func cutProperties(pointer string) (string, bool) {
	_, rest, ok := strings.Cut(pointer, "/inputSchema/properties/")
	rest, _, _ = strings.Cut(rest, "/")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(rest), ok
}

// kindsOfPlace are the kinds of definition a report may name.
var kindsOfPlace = []finding.Kind{finding.Tool, finding.Prompt, finding.Resource, finding.ResourceTemplate, finding.Server, finding.Message}

// add adds a claim with its texts shortened, and reports whether there is room for more.
func (f *importedFile) add(c claim) bool {
	if len(f.claims) == maxImported {
		f.Cut = true
		return false
	}
	c.File = f.Source.File
	c.Tool = clip(cmp.Or(c.Tool, "unnamed tool"), maxName)
	c.Rule = clip(cmp.Or(c.Rule, "unnamed rule"), maxName)
	c.Message = clip(c.Message, maxText)
	c.Severity = max(c.Severity, finding.Info)
	for _, t := range []*string{&c.Parameter, &c.Location.Server, &c.Location.Item, &c.Location.File} {
		*t = clip(*t, maxName)
	}
	if !slices.Contains(kindsOfPlace, c.Location.Kind) {
		c.Location.Kind = ""
	}
	f.claims = append(f.claims, c)
	f.Source.Findings++
	return true
}

// clip shortens a text and makes it valid UTF-8.
func clip(s string, n int) string { return excerpt.Clip(strings.ToValidUTF8(s, "\ufffd"), n) }

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
