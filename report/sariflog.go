package report

import "gauntlet/finding"

// The subset of SARIF 2.1.0 that we write, with the standard's names; the outer objects are in sarif.go.

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifRule struct {
	ID                   string              `json:"id"`
	Name                 string              `json:"name,omitempty"`
	ShortDescription     sarifText           `json:"shortDescription"`
	FullDescription      sarifText           `json:"fullDescription"`
	Help                 sarifText           `json:"help"`
	HelpURI              string              `json:"helpUri,omitempty"`
	DefaultConfiguration sarifConfiguration  `json:"defaultConfiguration"`
	Properties           sarifRuleProperties `json:"properties"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifRuleProperties struct {
	// Tags and precision are SARIF and GitHub vocabulary, the rest is our own.
	Tags             []string              `json:"tags,omitempty"`
	SecuritySeverity string                `json:"security-severity,omitempty"`
	Precision        string                `json:"precision,omitempty"`
	Maturity         string                `json:"maturity,omitempty"`
	Taxonomy         []finding.TaxonomyRef `json:"taxonomy,omitempty"`
}

type sarifNotice struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
}

type sarifRef struct {
	ID    string `json:"id"`
	Index *int   `json:"index,omitempty"`
}

type sarifNotification struct {
	Descriptor     sarifRef        `json:"descriptor"`
	AssociatedRule *sarifRef       `json:"associatedRule,omitempty"`
	Level          string          `json:"level"`
	Message        sarifText       `json:"message"`
	Locations      []sarifLocation `json:"locations,omitempty"`
}

type sarifResult struct {
	RuleID              string              `json:"ruleId"`
	RuleIndex           int                 `json:"ruleIndex"`
	Level               string              `json:"level"`
	Message             sarifText           `json:"message"`
	Locations           []sarifLocation     `json:"locations"`
	RelatedLocations    []sarifLocation     `json:"relatedLocations,omitempty"`
	CodeFlows           []sarifCodeFlow     `json:"codeFlows,omitempty"`
	PartialFingerprints sarifPrints         `json:"partialFingerprints"`
	Suppressions        *[]sarifSuppression `json:"suppressions,omitempty"` // nil and empty differ
	Properties          any                 `json:"properties"`             // of a finding or of an attack
}

// A sarifCodeFlow is a data flow through source code: one thread and its places.
type sarifCodeFlow struct {
	ThreadFlows []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	Locations []sarifFlowLocation `json:"locations"`
}

type sarifFlowLocation struct {
	Location sarifLocation `json:"location"`
}

type sarifSuppression struct {
	Kind          string                     `json:"kind"`
	Status        string                     `json:"status"`
	Justification string                     `json:"justification"`
	Location      sarifLocation              `json:"location"` // of the decision
	Properties    sarifSuppressionProperties `json:"properties"`
}

type sarifSuppressionProperties struct {
	Owner   string `json:"owner,omitempty"`
	Expires string `json:"expires,omitempty"`
}

type sarifPrints struct {
	V1      string `json:"gauntlet/v1"`
	Primary string `json:"primaryLocationLineHash"`
}

type sarifResultProperties struct {
	Severity finding.Severity `json:"severity"`
	Pointer  string           `json:"pointer"`
	Seq      int              `json:"seq,omitempty"`
	IsKey    bool             `json:"is_key,omitempty"`
	Advice   string           `json:"advice,omitempty"`
	Evidence finding.Evidence `json:"evidence"`
	Content  string           `json:"content_hash,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifText     `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifLogical struct {
	Name               string `json:"name,omitempty"`
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}
