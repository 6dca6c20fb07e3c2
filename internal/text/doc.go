// Package text reads what a model would read in the strings of a definition, the way an
// attacker writes them.
//
// [Reader.Read] turns one string into a Text: one or more views of it (the visible text
// folded to a canonical form, and whatever is hidden inside: tag characters, base64, hex,
// percent and JSON escapes, one level deep), each with a map back to byte offsets of the
// original, plus marks for characters that nobody can see. Words of a view are looked up
// in lexicons of eight languages and get classes ("ignore", "secret", "user"); patterns
// over classes, with gaps and guards, become signals. Lexicons and patterns are data files
// beside this package. What a signal means is for the checks to decide.
//
// Everything here is pure and takes time linear in the string.
package text
