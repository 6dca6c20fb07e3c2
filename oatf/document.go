// Package oatf reads, validates, normalizes and writes documents of the Open Agent Threat Format, version 0.1. They describe
// an attack on an agent (what an adversarial server or client presents, phase by phase) and the signs that the agent complied.
//
// The document model is plain structs. Names are those of the specification in Go's spelling: attack.grace_period is
// [Attack].GracePeriod. Three conventions hold throughout:
//
//   - Optional values are zero when absent: "", nil, 0, or an absent [rawjson.Value]. Where
//     zero has a meaning (a confidence of 0, the target "" that selects the whole message)
//     the field is a pointer. A nil list is absent, an empty one was written as [].
//     An empty string reads as absent unless a field says otherwise.
//   - Values that the specification passes through (state, parameters, conditions,
//     predicates, extensions) are [rawjson.Value]: the document's own tree, written as
//     JSON. Key order, repeated digits and exact numbers are kept; nothing becomes a float64.
//   - Extensions (x-*) keep their names, values, order and position on the six objects
//     that may have them.
//
// § refers to the format specification, SDK § to the SDK specification, both at https://oatf.io.
package oatf

import (
	"fmt"
	"time"

	"gauntlet/rawjson"
)

// Version is the format version that this package reads and writes, the only valid value of [Document].OATF (§4.1).
const Version = "0.1"

// A Document is one OATF document (§4.1, SDK §2.2).
type Document struct {
	OATF   string `oatf:"oatf"`    // format version; [Version] in a valid document
	Schema string `oatf:"$schema"` // URL of a JSON Schema for editors; kept, never used
	Attack Attack `oatf:"attack,always"`

	source *source // nil for a document built by a program
}

// An Attack is the envelope of an attack: what it is, how it is executed, and how to tell that it succeeded (§4.2, SDK §2.3).
type Attack struct {
	ID          string `oatf:"id"`      // such as OATF-027; required only for publication
	Name        string `oatf:"name"`    // "Untitled" once normalized
	Version     int    `oatf:"version"` // counts up from 1; 1 once normalized
	Status      Status `oatf:"status"`  // draft once normalized
	Created     Date   `oatf:"created"`
	Modified    Date   `oatf:"modified"`
	Author      string `oatf:"author"`
	Description string `oatf:"description"`
	// GracePeriod is how long to keep observing after the last actor ended, as a duration of the format ("30s", "PT5M").
	GracePeriod    string          `oatf:"grace_period"`
	Severity       *Severity       `oatf:"severity"` // nil: not assessed
	Impact         []Impact        `oatf:"impact"`
	Classification *Classification `oatf:"classification"`
	References     []Reference     `oatf:"references"`
	Execution      Execution       `oatf:"execution,always"`
	// Indicators tell whether the agent complied. A document without any can be run but not judged.
	Indicators  []Indicator  `oatf:"indicators"`
	Correlation *Correlation `oatf:"correlation"` // logic any once normalized if there are indicators
	Extensions  []Extension
}

// Severity is the severity of the attack and its author's confidence in it (§4.3). The scalar form (severity: high)
// reads as a level without confidence.
type Severity struct {
	Level      SeverityLevel `oatf:"level,always"`
	Confidence *int          `oatf:"confidence"` // 0 to 100; 50 once normalized
}

// Classification maps the attack to taxonomies (§4.5).
type Classification struct {
	Category Category           `oatf:"category"`
	Mappings []FrameworkMapping `oatf:"mappings"`
	Tags     []string           `oatf:"tags"` // lower case with hyphens once normalized
}

// A FrameworkMapping maps the attack to an entry of an external framework (§4.5).
type FrameworkMapping struct {
	// Framework is open: anything but atlas, mitre_attack, owasp_llm, owasp_mcp, owasp_agentic and cwe counts as "other".
	Framework    string       `oatf:"framework,always"`
	ID           string       `oatf:"id,always"`
	Name         string       `oatf:"name"`
	URL          string       `oatf:"url"`
	Relationship Relationship `oatf:"relationship"` // primary once normalized
}

// A Reference is further reading about the attack (§4.6).
type Reference struct {
	URL         string `oatf:"url,always"`
	Title       string `oatf:"title"`
	Description string `oatf:"description"`
}

// Correlation combines the verdicts of the indicators into that of the attack (§4.7).
type Correlation struct {
	Logic CorrelationLogic `oatf:"logic"` // any once normalized
}

// An Extension is a custom field x-* (§10.3). It never changes the meaning of specified fields.
type Extension struct {
	Name  string // including x-
	Value rawjson.Value
	// After is the specified field that it follows, "" for the first position. [Serialize] restores this position.
	After string
}

// Extension returns the value of an extension of the attack, absent if there is none of that name.
func (a *Attack) Extension(name string) rawjson.Value {
	for _, x := range a.Extensions {
		if x.Name == name {
			return x.Value
		}
	}
	return rawjson.Value{}
}

// A Date is a date or date-time as written in a document: 2026-02-15 or 2026-02-15T10:30:00Z (§4.2). Time parses it.
type Date string

// Time returns the moment, midnight UTC for a bare date. Anything but an ISO 8601 date or a date-time with a zone is an error.
func (d Date) Time() (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, string(d)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is neither a date (2026-02-15) nor a date-time with a zone (2026-02-15T10:30:00Z)", string(d))
}
