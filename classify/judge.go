package classify

import (
	_ "embed"
	"slices"
	"strings"

	"gauntlet/capability"
)

//go:embed git.txt
var gitText string

// gitTags says what a subcommand of git does.
var gitTags = func() map[string][]capability.Tag {
	out := map[string][]capability.Tag{}
	for line := range strings.Lines(gitText) {
		tags, words, ok := strings.Cut(line, " : ")
		if !ok || line[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(words) {
			for t := range strings.FieldsSeq(tags) {
				tag, err := capability.ParseTag(t)
				if err != nil {
					panic("classify: git.txt: " + err.Error())
				}
				out[w] = append(out[w], tag)
			}
		}
	}
	return out
}()

func tagIndex(t capability.Tag) uint8 { return uint8(slices.Index(tagOrder, t)) }

var (
	tExec, tFSRead, tFSWrite = tagIndex(capability.Exec), tagIndex(capability.FSRead), tagIndex(capability.FSWrite)
	tNet, tSecret            = tagIndex(capability.NetEgress), tagIndex(capability.SecretAccess)
	tQuery, tDBWrite         = tagIndex(capability.DBQuery), tagIndex(capability.DBWrite)
)

// judge turns what was read of a tool into signals and scores.
func (w *worker) judge(p *profile) {
	w.signals = w.signals[:0]
	w.score, w.against = [tagCount][sourceCount]int8{}, [tagCount]int8{}
	for i := range w.deeds {
		w.apply(&w.deeds[i], p)
	}
	w.parameters(p)
	w.returned(w.result, p)
	w.stored()
	w.freeSQL(p)
	w.pathless(p)
	if p.is&git != 0 {
		w.subcommand()
	}
	w.server(p)
	w.annotated(p)
	w.restrain()
}

func (w *worker) add(s signal) {
	w.signals = append(w.signals, s)
	if at := &w.score[s.tag][s.source]; s.weight > *at {
		*at = s.weight
	}
	if s.weight < 0 {
		w.against[s.tag] += s.weight
	}
}

// apply tries every rule on one deed.
func (w *worker) apply(d *deed, p *profile) {
	where := p.is | d.where
	for i := range rules {
		r := &rules[i]
		if !d.objects.meets(r.objects) || where&r.want != r.want || where&r.refuse != 0 {
			continue
		}
		if d.none {
			if !r.none || d.source != byName {
				continue
			}
		} else if !d.acts.meets(r.acts) {
			continue
		}
		weight := int8(r.weight)
		if r.tag == capability.Exec && w.nameSet.meets(goingOn) && !w.nameSet.meets(runActs) {
			weight-- // what already runs is stopped or goes on
		}
		if d.faint || where&inMemory != 0 || d.source == byDescription && w.astray(d, r) {
			weight--
		}
		if r.tag == capability.Exec && d.source == byDescription && d.object.start < d.act.start && !w.nameAct.empty() && !w.nameAct.meets(runActs) {
			weight-- // "command execution" is what the tool's work is for
		}
		if d.source == byParameter && (r.tag == capability.SecretAccess || r.tag == capability.NetEgress) {
			weight = 1 // keys are listed and rotated more often than handed out, and any act may be a request
		}
		if r.tag == capability.SecretAccess && (heads(w.text(d.value), int(d.object.end)) || held(w.text(d.value), int(d.object.start))) {
			weight -= 2
		}
		if weight <= 0 {
			continue
		}
		kind := "name_token"
		text := ""
		switch d.source {
		case byDescription:
			kind = "desc_phrase"
		case byParameter:
			kind, text = "choice", d.value.Text()
		}
		w.add(signal{text: text, tag: tagIndex(r.tag), source: d.source, weight: weight, value: d.value, kind: kind,
			start: min(d.act.start, d.object.start), end: max(d.act.end, d.object.end)})
	}
}

// astray reports whether a description tells of an act that goes against the name's: what a
// tool called delete_x reads and what one called get_x writes is said in passing.
func (w *worker) astray(d *deed, r *rule) bool {
	if w.nameAct.meets(copyActs) {
		return false
	}
	reads, changes := w.nameAct.meets(lookActs), w.nameAct.meets(changeOnly)
	switch r.tag {
	case capability.FSRead, capability.DBQuery:
		return changes && !reads
	case capability.FSWrite, capability.DBWrite:
		return reads && !changes
	case capability.NetIngress:
		return (reads || w.nameAct.meets(haltActs)) && !w.nameAct.meets(listenActs)
	case capability.Exec:
		return reads && !changes && !w.nameAct.meets(runActs)
	}
	return false
}

// total adds up a tag's sources; sources counts those that speak for it.
func (w *worker) total(tag uint8) (sum, sources int) {
	for _, s := range w.score[tag] {
		if s > 0 {
			sum += int(s)
			sources++
		}
	}
	return sum + int(w.against[tag]), sources
}

// own reports whether anything but the server and annotations speaks for a tag.
func (w *worker) own(tag uint8) bool {
	s := &w.score[tag]
	return s[byName]+s[byDescription]+s[byParameter]+s[bySchemaSource] > 0
}

var (
	readActs    = lex.set("read", "search", "send", "upload")
	changeActs  = lex.set("write", "destroy", "generate")
	changeOnly  = lex.set("write", "destroy")
	anyAct      = lex.set("read", "write", "destroy", "run", "send", "upload", "download", "open")
	lookActs    = lex.set("read", "search")
	editActs    = lex.set("copy")
	copyActs    = lex.set("copy", "download")
	connectAct  = lex.set("connect")
	connectActs = lex.set("connect", "fetch", "navigate", "run")
	openActs    = lex.set("open", "navigate")
)

// acts reports whether the name, the first sentence or a choice of the caller has such an act.
func (w *worker) acts(of classes) bool {
	return w.nameAct.meets(of) || w.headSet.meets(of) || w.choice.meets(of)
}

var (
	downloadActs = lex.set("download")
	uploadActs   = lex.set("upload")
	haltActs     = lex.set("halt", "destroy")
	goingOn      = lex.set("halt")
	listenActs   = lex.set("listen")
	docActs      = lex.set("docact")
	ownState     = lex.set("ownstate")
	sshState     = lex.set("sshstate", "tunnel")
	keepActs     = lex.set("read", "halt", "manage", "write", "destroy")
	docWords     = lex.set("docs")
	cookieWords  = lex.set("cookie")
	cloudPlaces  = lex.set("remoteplace", "cloudpath")
	guidance     = lex.set("guidance")
	plainActs    = lex.set("plain")
	cwdWords     = lex.set("cwd")
	otherObjects = lex.set("secret", "file", "url", "saas", "msg", "code", "live", "guidance")
	saveWords    = lex.set("savepath")
	uploadWords  = lex.set("uploadpath")
)

var (
	sqlWords   = lex.set("sqltext")
	readNames  = lex.set("selectname")
	selectOnly = lex.set("selectonly")
	readLangs  = lex.set("readlang")
	writeLangs = lex.set("writelang")
)

// confidence weighs the sources of a tag; "" is no label.
func (w *worker) confidence(tag uint8) capability.Confidence {
	sum, sources := w.total(tag)
	// What the server is gives a tool no act; but any tool of a client makes requests.
	strong := slices.Max(w.score[tag][:byServer]) >= 2 || tag == tNet && w.score[tag][byServer] >= 2
	switch {
	case sum >= 4 && sources >= 2 && strong && w.against[tag] == 0:
		return capability.High
	case sum >= 2 && (strong || sources >= 3):
		return capability.Medium
	case sum >= 1:
		return capability.Low
	}
	return ""
}
