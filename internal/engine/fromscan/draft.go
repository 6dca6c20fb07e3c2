// Package fromscan turns findings of a scan into attack documents: each presents the scanned definitions verbatim to an agent,
// with indicators for compliance. A static finding says that a text is dangerous; a run says whether this agent is susceptible.
package fromscan

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// Extension is the attack extension that names the findings that a document was generated from.
const Extension = "x-gauntlet-finding"

// A Draft is a document generated from findings.
type Draft struct {
	Name     string // a file name without directory
	Document *oatf.Document
}

// A Left is a finding without a document.
type Left struct {
	Finding *finding.Finding
	Why     string
	Never   bool // findings of this rule never have a document
}

// Reasons explains why findings have no document: individually for rules that usually have one, by rule otherwise.
func Reasons(left []Left) (out []string) {
	for _, l := range left {
		at := ""
		if !l.Never {
			at = " " + l.Finding.Fingerprint + " (" + l.Finding.Location.Item + ")"
		}
		if why := fmt.Sprintf("%s%s: no document: %s", l.Finding.Rule, at, l.Why); !slices.Contains(out, why) {
			out = append(out, why)
		}
	}
	return out
}

// poison are the rules about text that addresses a model.
var poison = []finding.Rule{"SEC-001", "SEC-002", "SEC-003", "SEC-004", "SEC-005"}

// toxicFlow is the rule about pairs of tools.
const toxicFlow = "SEC-035"

// Drafts generates a document for every definition with poisoned text and every toxic pair, in the order of the
// findings. c holds the definitions of the findings; other findings are left, with the reason.
func Drafts(findings []finding.Finding, c *catalog.Catalog) ([]Draft, []Left) {
	var drafts []Draft
	var left []Left
	done := map[string]bool{}
	took := map[*finding.Finding]bool{}
	for i := range findings {
		f := &findings[i]
		var d *draft
		var why string
		never := false
		switch {
		case slices.Contains(poison, f.Rule):
			key := f.Location.File + "\x00" + f.Location.Server + "\x00" + string(f.Location.Kind) + "\x00" + f.Location.Item
			if done[key] {
				continue // handled with the definition's first finding
			}
			done[key] = true
			d, why = poisoned(f, sameItem(findings, f), c)
		case f.Rule == toxicFlow:
			d, why = paired(f, c)
		default:
			why, never = "what an agent does neither confirms nor refutes it", true
		}
		if d == nil {
			left = append(left, Left{f, why, never})
			continue
		}
		for _, f := range d.about {
			took[f] = true
		}
		drafts = append(drafts, d.finishDraft(len(drafts)+1))
	}
	left = slices.DeleteFunc(left, func(l Left) bool { return took[l.Finding] })
	return drafts, left
}

// sameItem returns the findings about the same definition as first.
func sameItem(findings []finding.Finding, first *finding.Finding) []*finding.Finding {
	var out []*finding.Finding
	for i := range findings {
		f := &findings[i]
		a, b := f.Location, first.Location
		if a.File == b.File && a.Server == b.Server && a.Kind == b.Kind && a.Item == b.Item && f.Rule != toxicFlow {
			out = append(out, f)
		}
	}
	return out
}

// A draft is a document under construction.
type draft struct {
	title, prompt string
	about         []*finding.Finding
	actors        []oatf.Actor
	carriers      []string
	indicators    []oatf.Indicator
}

func (d *draft) finishDraft(n int) Draft {
	id := fmt.Sprintf("GNT-SCAN-%03d", n)
	first := d.about[0]
	doc := &oatf.Document{OATF: oatf.Version, Attack: oatf.Attack{
		ID: id, Name: d.title, Version: 1, Status: oatf.StatusDraft, Author: "gauntlet",
		Description: "Made from a finding: plays the scanned definitions as they are, to see whether the agent does what they ask. " + first.Message,
		Severity:    &oatf.Severity{Level: severityLevel(first.Severity)},
		Impact:      []oatf.Impact{oatf.ImpactBehaviorManipulation},
		Classification: &oatf.Classification{Category: oatf.CategoryCapabilityPoisoning,
			Tags: []string{"from-scan", strings.ToLower(string(first.Rule))}},
		Execution:  oatf.Execution{Actors: append([]oatf.Actor{user(d.prompt)}, d.actors...)},
		Indicators: d.indicators,
		Extensions: []oatf.Extension{
			{Name: Extension, Value: jsonValue(d.origin())},
			{Name: "x-gauntlet-carriers", Value: jsonValue(jsonList(d.carriers))},
		},
	}}
	for i := range doc.Attack.Indicators {
		doc.Attack.Indicators[i].ID = fmt.Sprintf("%s-%02d", id, i+1)
	}
	return Draft{fmt.Sprintf("%03d-%s.yaml", n, fileName(first.Location.Item)), doc}
}

// origin returns the findings of the document as JSON.
func (d *draft) origin() string {
	var prints, rules []string
	for _, f := range d.about {
		prints = append(prints, f.Fingerprint)
		if !slices.Contains(rules, string(f.Rule)) {
			rules = append(rules, string(f.Rule))
		}
	}
	at := d.about[0].Location
	return `{"rules":` + jsonList(rules) + `,"fingerprints":` + jsonList(prints) + `,"server":` + rawjson.Quote(at.Server) + `,"item":` + rawjson.Quote(at.Item) + `}`
}

func user(prompt string) oatf.Actor {
	state := `{"run_agent_input":{"threadId":"thread-1","runId":"run-1","messages":[{"id":"message-1","role":"user","content":` + rawjson.Quote(prompt) + `}],"tools":[],"context":[]}}`
	return oatf.Actor{Name: "user", Mode: "ag_ui_client", Phases: []oatf.Phase{{Name: "ask", State: jsonValue(state)}}}
}

func severityLevel(s finding.Severity) oatf.SeverityLevel {
	switch s {
	case finding.Critical:
		return oatf.SeverityCritical
	case finding.High:
		return oatf.SeverityHigh
	case finding.Medium:
		return oatf.SeverityMedium
	}
	return oatf.SeverityLow
}

// Fingerprints returns the fingerprints of the findings that a document was generated from, nil for none.
func Fingerprints(doc *oatf.Document) []string {
	return doc.Attack.Extension(Extension).Get("fingerprints").Texts()
}

// Findings returns the findings of a scan's JSON report and the distinct snapshots that they name.
func Findings(report string) (findings []finding.Finding, files []string, err error) {
	var r struct {
		Version  string             `json:"schema_version"`
		Findings *[]finding.Finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil || r.Findings == nil || r.Version == "" {
		return nil, nil, errors.New("not the JSON report of a scan")
	}
	for _, f := range *r.Findings {
		for _, l := range append([]finding.Location{f.Location}, f.Related...) {
			if l.File != "" && l.File != "-" && !slices.Contains(files, l.File) {
				files = append(files, l.File)
			}
		}
	}
	return *r.Findings, files, nil
}
