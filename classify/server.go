package classify

import "strings"

// scoreGitSubcommand reads the name of a tool of a git server.
func (w *toolReader) scoreGitSubcommand() {
	name := w.name.Text()
	for _, word := range w.words {
		at := max(0, strings.Index(strings.ToLower(name), word))
		for _, t := range gitTags[word] {
			w.addSignal(signal{tag: tagIndex(t), source: byName, weight: 2, value: w.name, kind: "name_token", start: int32(at), end: int32(at + len(word))})
			w.addSignal(signal{tag: tagIndex(t), source: byServer, weight: 2, kind: "server", text: "git"})
		}
	}
}

// scoreServer adds what the server as a whole says.
func (w *toolReader) scoreServer(p *profile) {
	say := func(tag uint8, weight int8, why string) {
		w.addSignal(signal{tag: tag, source: byServer, weight: weight, kind: "server", text: why})
	}
	if p.is&remote != 0 {
		switch {
		case w.headSet.with(w.nameSet).meets(guidance):
			w.against[tNet]--
			say(tNet, 1, p.because)
		default:
			say(tNet, 2, p.because)
		}
		if p.unsure && w.score[tNet][byParameter] < 2 {
			w.against[tNet]-- // context alone is no proof
		}
	}
	if p.is&ssh != 0 {
		say(tNet, 2, "works over SSH")
	}
	if p.is&db != 0 {
		for _, t := range [...]uint8{tQuery, tDBWrite} {
			if w.hasOwnEvidence(t) {
				say(t, 2, "database server")
			}
		}
	}
}

// scoreAnnotations adds what annotations say, which anyone can claim.
func (w *toolReader) scoreAnnotations(p *profile) {
	note := func(tag uint8, weight int8, text string) {
		w.addSignal(signal{tag: tag, source: byAnnotation, weight: weight, kind: "annotation", text: text})
	}
	if w.hints.openWorld > 0 && p.is&browser == 0 && (w.hasOwnEvidence(tNet) || p.is&remote != 0) {
		note(tNet, 1, "openWorldHint=true")
	}
	for _, t := range [...]uint8{tFSWrite, tDBWrite} {
		if !w.hasOwnEvidence(t) {
			continue
		}
		switch {
		case w.hints.readOnly > 0 && w.score[t][byParameter] < 2: // saving a result is no change to most authors
			note(t, -1, "readOnlyHint=true")
		case w.hints.destructive > 0:
			note(t, 1, "destructiveHint=true")
		}
	}
}
