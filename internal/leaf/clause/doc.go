// Package clause reads what the strings of a definition ask of a model.
//
// A Reader folds a string, splits it into tokens and sentences (token.go, sentence.go, shape.go,
// name.go), and builds a frame for each clause: who does what, to what, from where and where to
// (frame.go, role.go). Two judges follow.
//
// The rules (rule.go, and a file for each kind of directive) look at frames, and speak where a
// clause was understood. The weighing (weigh.go) looks at sentences that no rule has judged: it
// collects the concepts that their words stand for in fifteen languages (concept.go,
// conceptlexicon.go, evidence.go), what would be taken (asset.go) and what the definition says
// its own business to be (domain.go), turns them into signs (sign.go), and adds up what the signs
// and pairs of them count (weights.go). It understands less than the rules do and hears more.
//
// The lists of words are data: words/*.txt for the classes of the rules, words/concepts for the
// concepts, words/weights.tsv for what signs count. Everything is deterministic, reads no clock
// and no network, and takes time in proportion to the length of the string.
package clause
