package oatf

import "gauntlet/rawjson"

// Version is the version of the format that this package reads and writes: the only value
// that [Document].OATF may have (§4.1).
const Version = "0.1"

// A Document is one OATF document (§4.1, SDK §2.2).
type Document struct {
	OATF   string // the version of the format; [Version] in a valid document
	Schema string // $schema: the URL of a JSON Schema for editors; kept, never used
	Attack Attack

	source *source // what it was read from; nil for a document that a program built
}

// An Attack is the attack's envelope: what it is, what it does to the agent (Execution)
// and how to tell that it worked (Indicators) (§4.2, SDK §2.3).
type Attack struct {
	ID          string // such as OATF-027; needed only for publication
	Name        string // "Untitled" once normalized
	Version     int    // counts up from 1; 1 once normalized
	Status      Status // draft once normalized
	Created     Date
	Modified    Date
	Author      string
	Description string
	// GracePeriod is how long to go on watching after the last actor ended, as a duration
	// in the notation of the format ("30s", "PT5M").
	GracePeriod    string
	Severity       *Severity // nil: not assessed
	Impact         []Impact
	Classification *Classification
	References     []Reference
	Execution      Execution
	// Indicators tell whether the agent complied. A document without any can be run and
	// not judged.
	Indicators  []Indicator
	Correlation *Correlation // logic any once normalized, where there are indicators
	Extensions  []Extension
}

// Severity is how bad the attack is and how sure its author is of that (§4.3). The scalar
// form (severity: high) reads as a level without confidence.
type Severity struct {
	Level      SeverityLevel
	Confidence *int // 0 to 100; 50 once normalized
}

// Classification ties the attack to taxonomies (§4.5).
type Classification struct {
	Category Category
	Mappings []FrameworkMapping
	Tags     []string // lower case with hyphens once normalized
}

// A FrameworkMapping ties the attack to one entry of an external framework (§4.5).
type FrameworkMapping struct {
	// Framework is open: what is not one of atlas, mitre_attack, owasp_llm, owasp_mcp,
	// owasp_agentic and cwe counts as "other".
	Framework    string
	ID           string
	Name         string
	URL          string
	Relationship Relationship // primary once normalized
}

// A Reference is something to read about the attack (§4.6).
type Reference struct {
	URL         string
	Title       string
	Description string
}

// Correlation says how the verdicts of the indicators make that of the attack (§4.7).
type Correlation struct {
	Logic CorrelationLogic // any once normalized
}

// An Extension is one field x-* that somebody added for themselves (§10.3). It never
// changes what the fields of the specification mean.
type Extension struct {
	Name  string // with its x-
	Value rawjson.Value
	// After is the field of the specification behind which it stood, "" in front of all.
	// [Serialize] puts it there again.
	After string
}
