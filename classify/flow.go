package classify

import (
	"bytes"
	"slices"
	"strings"

	"gauntlet/capability"
)

var (
	strangerWords = lex.classSet("stranger")
	privateWords  = lex.classSet("private")
	publicWords   = lex.classSet("public")
	holdingWords  = lex.classSet("holding")
	codePlaces    = lex.classSet("codeplace")
	openBrands    = lex.classSet("openbrand")
	publicBrands  = lex.classSet("publicbrand")
	strangersMail = lex.classSet("mail")
	mailWords     = lex.classSet("msg")
	destroyActs   = lex.classSet("destroy")
	publishActs   = lex.classSet("write", "send", "upload")
	postActs      = lex.classSet("send", "upload")
	webGet        = lex.classSet("webget")
	webObjects    = lex.classSet("url", "web", "httpreq")
	requestWords  = lex.classSet("httpreq")
	searchActs    = lex.classSet("search")
	webWide       = lex.classSet("web")
	fetchActs     = lex.classSet("read", "search", "fetch", "navigate")
)

// dataFlow says what a tool means for the way of data through an agent. It acts on labels at
// high and medium alone, and says of a tool what its definition shows.
func (w *toolReader) dataFlow(p *profile) (f capability.Flow) {
	has := func(tag uint8) bool { return w.tagConfidence(tag).AtLeast(capability.Medium) }
	in := toolAbilities{w: w, p: p, net: has(tNet), files: has(tFSRead), writes: has(tFSWrite), exec: has(tExec),
		secret: has(tSecret), query: has(tQuery), change: has(tDBWrite)}
	if in.exec && (p.is&browser != 0 || w.scriptsPage()) {
		in.exec, in.script = false, true
	}
	in.changes = w.nameAct.meets(changeOnly) || w.nameAct.meets(postActs)
	f.Untrusted, f.Private, f.Exfil = in.untrustedWay(), in.privateWay(), in.exfilWay()
	f.Destructive, f.LocalOnly = in.destructiveWay()
	f.Outward = in.exec && w.tagConfidence(tExec) == capability.High || f.Exfil != "" && f.Exfil != capability.Publishes && f.Exfil != capability.SendsByCommand || in.net && (in.hasFreeAddress() || w.hasFreeParameter(capability.Host) && p.is&remote == 0)
	f.Uploads = in.files && w.uploadsFiles(in.net)
	f.Inward = in.net && (f.Untrusted != "" || w.downloads() || in.hasFreeAddress() && w.hasAction(fetchActs, webObjects))
	f.FreePath = (w.hasFreePath() || w.nameSet.with(w.headSet).meets(codePlaces)) && !w.onlyDestroys()
	f.Scripts = in.script
	f.Composes = w.takesText() && !w.downloads()
	if in.query || in.change {
		f.Stores = w.databaseNames()
	}
	return f
}

// scriptsPage reports whether what a tool runs is JavaScript, in a page that it speaks of.
func (w *toolReader) scriptsPage() bool {
	return w.mentions.meets(browserCore) && slices.ContainsFunc(w.params, func(q parameter) bool {
		return q.role.role == capability.Command && strings.Contains(strings.ToLower(truncate(w.saidOf(&q), 100)), "javascript")
	})
}

// runsElsewhere reports whether what a tool runs is run by a service. That the server's tools tell, too, and not its name alone, which anybody
// can choose.
func (w *toolReader) runsElsewhere(p *profile) bool {
	return p.is&remote != 0 && p.is&ssh == 0 && (p.withoutName == nil || p.withoutName.is&remote != 0) && w.localMention.end == 0
}

// downloads reports whether the tool itself brings in what it writes.
func (w *toolReader) downloads() bool {
	return w.nameAct.meets(downloadActs) || w.choice.meets(downloadActs)
}

// uploadsFiles reports whether the files that a tool reads go to a service, and not to its caller.
func (w *toolReader) uploadsFiles(net bool) bool {
	return (net || w.nameSet.meets(uploadActs)) && !w.nameAct.meets(lookActs) && (w.nameAct.meets(changeActs) || w.nameAct.meets(postActs) || w.nameSet.meets(uploadActs) || w.choice.meets(uploadActs))
}

// toolAbilities are what one tool can do at high or medium, and where it stands.
type toolAbilities struct {
	w *toolReader
	p *profile

	net, files, writes, exec, script, secret, query, change bool
	changes                                                 bool // its name says that it changes or sends something
}

// untrustedWay returns in which way strangers' text comes in.
func (r *toolAbilities) untrustedWay() capability.Way {
	w := r.w
	looks := w.nameAct.meets(lookActs) || w.nameAct.meets(webGet) || w.nameAct.empty()
	open := r.p.words.meets(openBrands) || w.nameSet.with(w.headSet).meets(openBrands)
	switch {
	case r.changes || !looks:
	case w.readsMail(r.net): // from a server or from a folder of this machine
		return capability.ReturnsMail
	case !r.net || r.query || r.change || r.p.is&(git|ssh) != 0: // whose addresses lead to no page
	case r.p.is&browser != 0 && r.hasFreeAddress() && w.hasAct(openActs):
		return capability.OpensPages
	case w.hasDirectAction(webGet, webObjects) && r.hasFreeAddress(), w.hasDirectAction(searchActs, webWide):
		return capability.ReturnsPages
	case open && w.hasDirectAction(lookActs, strangerWords):
		return capability.ReturnsPublic
	}
	return ""
}

// readsMail reports whether a tool reads messages; without a label for requests its name has to say so. A parameter for the address of a
// mailbox speaks against it: check_email looks the address up in a list.
func (w *toolReader) readsMail(net bool) bool {
	return (net || w.nameAct.meets(lookActs) && w.nameSet.meets(strangersMail)) && w.hasDirectAction(lookActs, strangersMail) &&
		!slices.ContainsFunc(w.params, func(q parameter) bool { return q.whole == "email" || q.whole == "emailaddress" })
}

// privateWay returns in which way the tool reads what its user would keep.
func (r *toolAbilities) privateWay() capability.Way {
	w := r.w
	switch {
	case r.secret:
		return capability.ReadsSecrets
	case r.files && !w.uploadsFiles(r.net) && !(w.nameAct.meets(destroyActs) && !w.nameAct.meets(lookActs)):
		return capability.ReadsFiles
	case r.query:
		return capability.ReadsDatabase
	case r.exec:
		return capability.ReadsByCommand
	case r.script:
		return capability.ReadsByScript
	case w.readsMail(r.net) && !r.changes:
		return capability.ReadsAccount
	case r.net && r.p.is&remote != 0 && w.hasDirectAction(fetchActs, privateWords) && !w.nameAct.meets(changeOnly) && !r.readsFreeAddress():
		return capability.ReadsAccount
	}
	return ""
}

// readsFreeAddress reports whether what the tool reads is whatever lies at an address that its caller chooses, which is no account.
func (r *toolAbilities) readsFreeAddress() bool {
	return r.hasFreeAddress() && r.w.hasAction(webGet, webObjects)
}

func (r *toolAbilities) exfilWay() capability.Way {
	w := r.w
	switch {
	case r.exec:
		return capability.SendsByCommand
	case r.script:
		return capability.SendsByScript
	case !r.net:
	case w.hasDirectAction(postActs, mailWords) && w.takesRecipient() && (w.nameAct.meets(postActs) || !w.nameAct.meets(lookActs)): // and no list of sent mail
		return capability.SendsMessages
	case r.hasFreeAddress() && w.takesBody() && (w.nameAct.meets(postActs) || w.nameSet.with(w.headSet).meets(requestWords) || w.hasAction(webGet, webObjects)),
		w.nameAct.meets(uploadActs) && w.takesText() && w.takesPlace():
		return capability.SendsRequests
	case r.changes && (r.p.words.meets(publicBrands) || w.nameSet.with(w.headSet).meets(publicBrands)) && w.hasDirectAction(publishActs, publicWords) && w.takesText():
		return capability.Publishes
	}
	return ""
}

// destructiveWay returns in which way the tool does what cannot be undone, and whether to this machine alone.
func (r *toolAbilities) destructiveWay() (way capability.Way, local bool) {
	w := r.w
	local = r.writes && !r.net
	switch {
	case w.hints.destructive < 0 && !w.nameAct.meets(destroyActs):
	case r.exec:
		return capability.RunsCommands, !r.net
	case w.hints.readOnly <= 0 && (r.net || r.change || r.writes) && w.deletesData():
		return capability.Deletes, local && !r.change
	case r.change && w.hasFreeParameter(capability.Query) && w.takesStatement():
		return capability.RunsStatements, false
	case r.writes && w.nameAct.meets(changeOnly) && w.hints.readOnly <= 0:
		return capability.OverwritesFile, local
	}
	return "", false
}

// takesStatement reports whether a query parameter takes statements, and no mere filter of what is changed.
func (w *toolReader) takesStatement() bool {
	return w.nameSet.with(w.headSet).meets(runActs) || slices.ContainsFunc(w.params, func(q parameter) bool {
		return q.role.role == capability.Query && (nameMeets(&q, sqlWords) || nameMeets(&q, writeLangs))
	})
}

// deletions are the verbs after which a thing is gone. Others that the lexicon counts as destroying leave it where
// it is: unlinkDomain, removeMember, clearCache, resetPassword.
var deletions = map[string]bool{"delete": true, "deletes": true, "destroy": true, "destroys": true, "purge": true, "purges": true, "wipe": true, "wipes": true, "erase": true, "erases": true, "drop": true, "drops": true, "truncate": true,
	"terminate": true, "expunge": true, "shred": true, "del": true, "rm": true, "rmdir": true, "deleted": true}

// deletesData reports whether the name or the first sentence deletes something that holds data. On this machine a file
// that is removed is gone, too.
func (w *toolReader) deletesData() bool {
	return slices.ContainsFunc(w.actions, func(d action) bool {
		if d.faint || !d.act.set.meets(destroyActs) || !d.object.set.meets(holdingWords) || !w.isHeadNoun(&d) {
			return false
		}
		verb := w.actText(&d)
		return w.nameAct.meets(destroyActs) && (deletions[verb] || d.object.set.meets(fileObjects) && strings.HasPrefix(verb, "remove"))
	})
}

// hasDirectAction reports whether the name or the first sentence has such an act on such an object, and on that
// itself: get_merge_request_approval_state returns a state, and mail_listAPITokens no mail.
func (w *toolReader) hasDirectAction(of, on classes) bool {
	return slices.ContainsFunc(w.actions, func(d action) bool {
		return !d.faint && d.object.set.meets(on) && (d.act.set.meets(of) || d.acts.meets(of)) && w.isHeadNoun(&d)
	})
}

// isHeadNoun reports whether the object of an action is the noun that its phrase is about: nothing but a preposition, an act
// (stories-search) or a word for its parts (mail messages) follows it.
func (w *toolReader) isHeadNoun(d *action) bool {
	if d.source == byParameter {
		return true // the object is all that the name tells
	}
	s := w.stringOf(d.value)
	if d.source != byName && d.act.end < d.object.start && separatesObject(s[d.act.end:min(int(d.object.start), len(s))]) {
		return false
	}
	return w.endsPhrase(d)
}

// endsPhrase reports whether no other noun follows the object of an action: "Start a Node.js build" starts a build.
func (w *toolReader) endsPhrase(d *action) bool {
	s, inName := w.stringOf(d.value), d.source == byName
	var buf [48]byte
	for at := int(d.object.end); at < len(s); {
		word, start, end := w.nextPart(s, at, inName, buf[:0])
		if len(word) == 0 || !inName && strings.Trim(s[at:start], " '-") != "" || start-at > 2 {
			return true
		}
		switch e := lex.words[string(word)]; {
		case prepositions[string(word)], isDigit(word[0]):
			return true
		case parts[string(word)], inName && e != nil && e.set.meets(actClasses) && !e.set.meets(objectClasses):
			at = end
		case inName:
			return false
		default:
			return bytes.HasSuffix(word, []byte("ing")) || bytes.HasSuffix(word, []byte("ed")) || e != nil && e.set.meets(detWords.with(condWords).with(negationWords))
		}
	}
	return true
}

// separatesObject reports whether what stands between a verb and a noun makes the noun something else than its object: "the conflicts of
// a merge request", "inbound (received mail) logs".
func separatesObject(between string) bool {
	if strings.ContainsAny(between, "(:;") {
		return true
	}
	for word := range strings.FieldsSeq(between) {
		switch strings.ToLower(word) {
		case "of", "for", "on", "about", "by", "with", "via", "per", "to", "whether", "if":
			return true
		}
	}
	return false
}

// nextPart returns the next word of a text, or the next part of a name.
func (w *toolReader) nextPart(s string, at int, inName bool, buf []byte) (word []byte, start, end int) {
	if !inName {
		return nextWord(s, at, buf)
	}
	for at < len(s) && !isWordByte(s[at]) {
		at++
	}
	for start, end = at, at; end < len(s) && isWordByte(s[end]) && (end == start || !startsPart(s, end)); end++ {
	}
	return appendLower(buf, s[start:end]), start, end
}

// prepositions end a noun phrase.
var prepositions = map[string]bool{"by": true, "for": true, "from": true, "with": true, "in": true, "on": true, "to": true, "of": true, "at": true, "and": true, "or": true, "via": true, "using": true, "including": true, "that": true, "which": true,
	"as": true, "if": true, "across": true, "within": true, "into": true, "about": true, "inside": true, "between": true, "per": true, "it": true, "you": true, "is": true, "are": true, "so": true, "but": true}

// parts name what a thing consists of, so that who reads them reads the thing.
var parts = map[string]bool{"message": true, "messages": true, "content": true, "contents": true, "body": true, "text": true, "thread": true, "threads": true, "detail": true, "details": true, "information": true, "info": true,
	"list": true, "item": true, "items": true, "history": true, "feed": true, "result": true, "results": true, "entry": true, "entries": true, "page": true, "pages": true, "data": true, "record": true, "records": true,
	"file": true, "files": true, "note": true, "notes": true, "comment": true, "comments": true, "discussion": true, "discussions": true, "reply": true, "replies": true, "post": true, "posts": true, "markdown": true, "html": true, "url": true, "urls": true, "batch": true, "bulk": true, "s": true}

// hasFreeAddress reports whether the caller chooses the address that a request goes to. In the client of a service an
// address is part of what is stored there, unless the tool fetches addresses or sends to them; and who says that an address
// must be one of certain hosts ("Must be a docs.apify.com page") leaves no choice.
func (r *toolAbilities) hasFreeAddress() bool {
	w := r.w
	if r.p.is&remote != 0 && !w.nameSet.meets(requestWords) && !w.hasDirectAction(webGet, webObjects) && !w.hasDirectAction(postActs, webObjects) {
		return false
	}
	return slices.ContainsFunc(w.params, func(q parameter) bool {
		return q.role.role == capability.URL && !q.closed && !q.pattern && q.role.roleConfidence() != capability.Low && !w.isAllowListed(&q)
	})
}

// limits are words by which a description narrows the addresses that it takes.
var limits = map[string]bool{"only": true, "must": true, "allowed": true, "allowlist": true, "allowlisted": true, "whitelisted": true, "restricted": true, "limited": true, "supported": true}

// isAllowListed reports whether the description of a parameter, or of the tool, names the hosts that an address must be of.
func (w *toolReader) isAllowListed(q *parameter) bool {
	return restrictsHosts(truncate(w.saidOf(q), 400)) || restrictsHosts(truncate(w.prose, 2000))
}

// restrictsHosts reports whether a sentence has a word of limits and the name of a host that is no example.
func restrictsHosts(s string) bool {
	for sentence := range strings.SplitSeq(s, ". ") {
		limit, host := false, false
		for word := range strings.FieldsSeq(sentence) {
			word = strings.ToLower(strings.Trim(word, "`'\"(),;:*[]"))
			limit = limit || limits[word]
			host = host || isHostName(word)
		}
		if limit && host {
			return true
		}
	}
	return false
}

// isHostName reports whether a word is the name of a host, as docs.apify.com is and example.com, a file or a version are not.
func isHostName(word string) bool {
	_, rest, found := strings.Cut(word, "://")
	if found {
		word, _, _ = strings.Cut(rest, "/")
	}
	dot := strings.LastIndexByte(word, '.')
	if dot <= 0 || strings.Contains(word, "example") {
		return false
	}
	switch word[dot+1:] {
	case "com", "org", "net", "io", "dev", "ai", "app", "co", "cloud", "gov", "edu", "internal":
		return true
	}
	return false
}

// takesRecipient reports whether the caller names whom a message goes to.
func (w *toolReader) takesRecipient() bool {
	return slices.ContainsFunc(w.params, func(q parameter) bool {
		for _, word := range q.parts {
			if recipients[word] {
				return true
			}
		}
		return false
	})
}

var recipients = map[string]bool{"to": true, "cc": true, "bcc": true, "recipient": true, "recipients": true, "receiver": true, "receivers": true, "email": true, "emails": true, "address": true, "addresses": true, "phone": true, "number": true,
	"numbers": true, "chat": true, "channel": true, "user": true, "users": true, "contact": true, "contacts": true, "attendees": true, "destination": true, "webhook": true, "room": true, "conversation": true, "target": true}

// takesText reports whether a parameter carries a text of the caller's.
func (w *toolReader) takesText() bool {
	return slices.ContainsFunc(w.params, func(q parameter) bool {
		if q.closed || q.kind == boolKind || q.kind == numberKind {
			return false
		}
		n := strings.ToLower(q.name)
		return q.role.role == capability.Content || n == "title" || n == "description" || n == "text"
	})
}

// hasAction reports whether the name or the first sentence has such an act on such an object.
func (w *toolReader) hasAction(of, on classes) bool {
	return slices.ContainsFunc(w.actions, func(d action) bool {
		return !d.faint && d.object.set.meets(on) && (d.act.set.meets(of) || d.acts.meets(of))
	})
}

// onlyDestroys reports whether all that the name says is to destroy, which carries nothing away.
func (w *toolReader) onlyDestroys() bool {
	return w.nameAct.meets(destroyActs) && !w.nameAct.meets(publishActs)
}

// hasFreeParameter reports whether the caller chooses a value of this role.
func (w *toolReader) hasFreeParameter(r capability.Role) bool {
	return slices.ContainsFunc(w.params, func(p parameter) bool {
		return p.role.role == r && !p.closed && p.role.roleConfidence() != capability.Low
	})
}

func (w *toolReader) takesBody() bool {
	return slices.ContainsFunc(w.params, func(p parameter) bool {
		switch strings.ToLower(p.name) {
		case "body", "data", "payload", "headers", "method", "json", "form", "fields":
			return true
		}
		return p.role.role == capability.Content && !p.closed
	})
}

// takesPlace reports whether the caller names the host or the bucket that data goes to.
func (w *toolReader) takesPlace() bool {
	return slices.ContainsFunc(w.params, func(q parameter) bool {
		return !q.closed && (q.role.role == capability.Host || q.whole == "bucket" || q.whole == "bucketname" || q.whole == "container")
	})
}

// hasFreePath reports whether no schema constrains the path that is written to.
func (w *toolReader) hasFreePath() bool {
	return slices.ContainsFunc(w.params, func(p parameter) bool {
		return p.role.role == capability.Path && !p.closed && !p.pattern
	})
}

// databaseNames lists the database programs that the name and the first sentence name.
func (w *toolReader) databaseNames() (out []string) {
	add := func(ks []token, s string) {
		for _, k := range ks {
			if k.sentence == 0 && k.set.meets(engineWords) && !k.set.meets(sqlWords) && !k.set.meets(plainStore) && k.end > k.start && int(k.end) <= len(s) {
				if name := strings.ToLower(s[k.start:k.end]); !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	add(w.tok.tokenizeName(w.name.Text()), w.name.Text())
	add(w.tok.tokenizeProse(truncate(w.desc.Text(), 200)), truncate(w.desc.Text(), 200))
	return out
}

// plainStore are words for any database.
var plainStore = lex.classSet("db", "sqltext")
