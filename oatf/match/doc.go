// Package match is what documents of the Open Agent Threat Format look into messages with:
// paths, conditions and predicates, templates, extractors (JSONPath and regular
// expressions), CEL expressions, and the few rules built of them: which answer a dispatch
// list gives, when a trigger fires, which state a phase has.
//
// Everything is parsed once and used many times, from several goroutines if need be. What
// parses cannot fail later, but for CEL expressions and for the budget of a JSONPath
// query. Documents and messages are both a stranger's: regular expressions are RE2, paths
// and queries have bounds, expressions have a budget, and no value is ever converted
// unless a rule of the format says so.
//
// Messages and the parts of documents that the format passes through are values of
// [rawjson]. Sections marked § are those of the format's specification, SDK § those of its
// SDK specification.
package match
