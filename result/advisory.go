package result

import "gauntlet/finding"

// An Advisory holds a model's opinions about definitions. They have no severity, cannot affect the gate, and nothing
// else in the report depends on them.
type Advisory struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt_version"` // version of the question
	Judged int    `json:"judged"`         // definitions with a usable answer
	// Findings are in the order of the definitions.
	Findings []AdvisoryFinding `json:"findings"`
	// Dropped counts statements with the wrong form or a quote that is not in the definition.
	Dropped int `json:"dropped"`
	// Unjudged are the definitions without a usable answer.
	Unjudged []NotJudged `json:"unjudged"`
	// Labels are the model's capabilities for tools that the classifier was unsure about; nil if it was not asked.
	Labels []InferredLabel `json:"inferred_labels,omitempty"`
}

// An InferredLabel is a tool capability in a model's opinion. No check reads it.
type InferredLabel struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	Tag    string `json:"tag"`
}

// An AdvisoryFinding is a model's statement about a definition.
type AdvisoryFinding struct {
	Threat     Threat           `json:"threat"`
	Location   finding.Location `json:"location"`
	Quote      string           `json:"quote"`      // from the definition
	Rationale  string           `json:"rationale"`  // in the model's words
	Confidence string           `json:"confidence"` // "high", "medium" or "low", according to the model
	// Escalate asks for human review: the model itself is unsure.
	Escalate bool `json:"escalate,omitempty"`
}

// A Threat is what a model is asked to look for.
type Threat string

// The threats.
const (
	SubtlePoisoning      Threat = "poisoning"             // text that would make an agent act against its user
	UnsupportedBehaviour Threat = "unsupported_behaviour" // the text promises what the schema or source lacks
	Persuasion           Threat = "persuasion"            // text that makes a model prefer the tool for reasons outside the task
)

// A NotJudged is a definition without a usable answer.
type NotJudged struct {
	Location finding.Location `json:"location"`
	Reason   string           `json:"reason"`
}
