// Package match evaluates what documents of the Open Agent Threat Format say about messages: paths, conditions and
// predicates, templates, extractors (JSONPath and regular expressions), CEL expressions, and the rules built on them:
// which response a dispatch list selects, when a trigger fires, which state a phase has.
//
// Everything is parsed once and can be used many times and concurrently. What parses cannot fail later, except for CEL
// expressions and the budget of a JSONPath query. Documents and messages are both untrusted: regular expressions are
// RE2, paths and queries have limits, expressions have a budget, and values are converted only where the format says so.
//
// Messages and the parts of documents that the format passes through are [rawjson] values. § refers to the format
// specification, SDK § to the SDK specification.
package match
