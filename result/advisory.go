package result

import "gauntlet/finding"

// An Advisory is what one model says about definitions, beside the verdict. It is an opinion: it
// has no severity, cannot affect the gate, and nothing else in the report depends on it.
type Advisory struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt_version"` // of the question that it was asked
	Judged int    `json:"judged"`         // definitions that it gave a usable answer about
	// Findings are in the order of the definitions.
	Findings []AdvisoryFinding `json:"findings"`
	// Dropped counts statements of the model that were left out, since they did not have the form that was asked
	// for or quoted what the definition does not say.
	Dropped int `json:"dropped"`
	// Unjudged are the definitions without a usable answer.
	Unjudged []NotJudged `json:"unjudged"`
	// Labels are what the model says tools can do that the classifier left in doubt; nil if it was not asked.
	Labels []InferredLabel `json:"inferred_labels,omitempty"`
}

// An InferredLabel is a capability that a tool has in a model's opinion. No check reads it.
type InferredLabel struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	Tag    string `json:"tag"`
}

// An AdvisoryFinding is one statement of a model about one definition.
type AdvisoryFinding struct {
	Threat     Threat           `json:"threat"`
	Location   finding.Location `json:"location"`
	Quote      string           `json:"quote"`      // stands in the definition
	Rationale  string           `json:"rationale"`  // in the model's words
	Confidence string           `json:"confidence"` // "high", "medium" or "low", in the model's opinion
	// Escalate asks for a person to look: the model itself is not sure.
	Escalate bool `json:"escalate,omitempty"`
}

// A Threat is one that a model is asked to look for.
type Threat string

// The threats.
const (
	SubtlePoisoning      Threat = "poisoning"             // words that would make an agent act against its user
	UnsupportedBehaviour Threat = "unsupported_behaviour" // the text promises what the schema, or the source, does not have
	Persuasion           Threat = "persuasion"            // words that make a model prefer the tool for no reason of the task
)

// A NotJudged is a definition that a model gave no usable answer about.
type NotJudged struct {
	Location finding.Location `json:"location"`
	Reason   string           `json:"reason"`
}
