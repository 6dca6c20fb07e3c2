// Package clause reads what the strings of a definition ask of a model.
//
// A Reader folds a string, splits it into tokens and sentences (token.go, sentence.go, shape.go, name.go), and gives every window of it a
// score (features.go, learnt.go): how much it resembles known attacks. Where the score is high enough it builds a frame for each clause, who does
// what, to what, from where and where to (frame.go, role.go), and the rules (rule.go, and a file for each kind of directive) look at the
// frames and say what they found. A sentence that scores very high is reported without a rule, as a suspicion.
//
// The lists of words are data (words/*.txt), and so are the weights (learnt.bin). Everything is deterministic, reads no clock and no network,
// and takes time in proportion to the length of the string.
package clause
