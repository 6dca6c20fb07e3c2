package acts

import (
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// handsOver reports whether a sentence that sends and has an outside address sends a secret there: it is what is sent, or what a
// pronoun in its place stands for. No secret is handed over that only opens the door (a password of the request, a key for a log-in, the
// token of a webhook), that lies at the address ("API keys from https://…"), or of which is told and not ordered ("the cookie is sent
// to …"). Own says that the secret is in the sentence itself, and not in one before.
func handsOver(s string, own bool) bool {
	if !orders(s) {
		return false
	}
	s = withoutMeans(s)
	if rest := fromAddress.ReplaceAllString(s, " "); !strings.ContainsAny(rest, ":@") && !classify(rest).any(outward) {
		return false
	}
	if own && !classify(s).any(secret|wholeEnv) {
		return false
	}
	standsFor := taken.MatchString(s)
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && wordByte(s[i]) {
			i++
		}
		if classify(s[start:min(len(s), i+8)]).any(send) && (standsFor || left.MatchString(s[i:]) || own && classify(s[start:]).any(secret|wholeEnv)) {
			return true
		}
		i = max(i, start+1)
	}
	return false
}

// orders reports whether a sentence has more than what is sent by somebody else, or asked after.
func orders(s string) bool {
	return classify(reported.ReplaceAllString(s, " ")).any(send)
}

// withoutMeans takes out of a sentence the secrets that something is done with, those of examples, and the passwords of a log-in.
func withoutMeans(s string) string {
	s = means.ReplaceAllStringFunc(s, func(m string) string {
		if strings.Contains(m, " of ") { // "with the contents of credentials"
			return m
		}
		return " "
	})
	if signIn.MatchString(s) {
		s = ownPassword.ReplaceAllString(s, " ")
	}
	return s
}

// tookBefore reports whether a piece near this one, in its section, takes a secret.
func (r *reader) tookBefore(i int) bool {
	for j := max(0, i-4); j <= i; j++ {
		u := &r.units[j]
		if u.section == r.units[i].section && u.class.has(take) && u.class.any(secret|wholeEnv) && !u.class.any(negated|defends) && classify(withoutMeans(r.text(j))).any(secret|wholeEnv) {
			return true
		}
	}
	return false
}

const aSecret = `(?:tokens?|api[ -]?keys?|keys?|passwords?|credentials?|secrets?|cookies?|jwts?|pat)\b`

var (
	means = lazyregexp.New(`\b(?:ssh|scp|sftp)\s[^\n|;&"'` + "`" + `]*?-i\s+\S+|-e\s+(?:"ssh[^"]*"|'ssh[^']*')|(?:^|\s)(?:-u|--user|-h|--header|--identity\S*)[\s=]+(?:"[^"]*"|'[^']*'|[^\s"']+)` +
		`|(?:^|\s)-{1,2}(?:t|token|password|api-?key|auth\S*|pat)[\s=]+["']?\$\{?\w+\}?|\b(?:authorization|x-[\w-]*(?:key|token)|api-?key|private-token|cookie)\s*:\s*[^"'\n]*|bearer\s+\S+|\.env\.(?:example|sample|template|dist|default)\w*` +
		`|\b` + aSecret + `\s+(?:in|as|through|via)\s+(?:the\s+|an?\s+|its\s+)?(?:\S+\s+)?(?:headers?|authorization|environment)\b` +
		`|\b(?:with|using|via|through|by|under|needs?|requires?)\s+(?:(?:the|your|an?|its|our|their|my|valid|own)\s+)*(?:[\w-]+\s+){0,2}?\$?\{?(?:\w+_)?` + aSecret)
	fromAddress = lazyregexp.New(`\b(?:from|see|visit|open|in)\s+\S*://\S+`)
	reported    = lazyregexp.New(`\b(?:is|are|was|were|gets?)\s+(?:\w+\s+)?(?:sent|posted|uploaded|forwarded|transmitted|shared|submitted|logged)\b|\b(?:has|have|did|does|was|were)\s+[^.?!\n]*\?`)
	taken       = lazyregexp.New(`\b(?:it|them|these|those|this|that|everything|both)\b(?:\s*$|\s*[,.;:)"]|\s+(?:all\s+)?(?:to|at|via|as|in|into|by|with|over|through|using|out|away|along|on|for|when|https?:))|\b(?:collected|gathered|extracted|parsed|decrypted|encoded|retrieved|captured|resulting|combined|compiled|all|full)\s+(?:\w+\s+)?\w+\s+(?:to|at|via)\b|\bwhat\s+(?:you|it|was|is)\b|\b(?:the|its|their|all|any)\s+(?:\w+\s+){0,2}?(?:contents?|outputs?|results?|data|values?|archives?|files?|cop(?:y|ies)|zip|tarball|body|payload|text|dump|list|string|findings)\b|\b(?:data|json|body|files)\s*[:=]`)
	// left matches what stands behind a verb of sending whose object is left out, or is said in one word: "and email to", "send all to".
	left        = lazyregexp.New(`^\s*:?\s*(?:(?:all|results?|contents?|outputs?|data|diff|files?|copy|everything|findings)\s+)?(?:to|at|via)\b`)
	signIn      = lazyregexp.New(`\b(?:sign|log)(?:s|ging|ning)?[ -]?(?:in|into)\b|\bauthenticat|://\S*/(?:login|auth|oauth|token|session|sign-?in)\b`)
	ownPassword = lazyregexp.New(`\b(?:user ?names?|e-?mails?|passwords?|credentials?|session cookies?|cookies?|tokens?)\b`)
)
