// Package oatf reads, validates, normalizes and writes documents of the Open Agent Threat Format,
// version 0.1: descriptions of an attack on an agent (what an adversarial server or client shows,
// phase by phase) and of the signs that the agent fell for it.
//
// The document model is plain structs. Names are those of the specification in Go's
// spelling: the field attack.grace_period is [Attack].GracePeriod. Three conventions hold
// throughout:
//
//   - What is optional is zero when absent: "", nil, 0, or an absent [rawjson.Value]. Where
//     zero means something itself (a confidence of 0, the target "" that selects the whole
//     message) the field is a pointer. A list that is nil is absent, one without entries was
//     written as []. An empty string reads as an absent one unless a field says otherwise.
//   - What the specification passes through untouched (state, parameters, conditions,
//     predicates, extensions) is a [rawjson.Value]: the document's own tree, written as
//     JSON. Key order, repeated digits and exact numbers stay; nothing goes through float64.
//   - Extensions (x-*) are kept with their names, values, order and place, on the six
//     objects that may carry them.
//
// Sections marked § are those of the format specification, SDK § those of the SDK
// specification, both at https://oatf.io.
package oatf
