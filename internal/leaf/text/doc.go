// Package text reads one string the way a model does and a person does not: folded to a
// canonical form with a map back to the bytes of the original, with marks for characters
// that nobody can see, and with what is hidden in it decoded one level deep: tag
// characters, base64 and base32, gzip, hex, percent and JSON escapes, rot13. What the
// words say is for package clause.
//
// Everything here is pure and takes time linear in the string.
package text
