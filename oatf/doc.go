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
