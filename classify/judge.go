package classify

import (
	_ "embed"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/lazyregexp"
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

// scoreTags turns what was read of a tool into signals and scores.
func (w *toolReader) scoreTags(p *profile) {
	w.signals, w.plainly = w.signals[:0], [tagCount]bool{}
	w.score, w.against = [tagCount][sourceCount]int8{}, [tagCount]int8{}
	for i := range w.actions {
		w.applyRules(&w.actions[i], p)
	}
	w.scoreParameters(p)
	w.discountStoredSecrets()
	w.scoreFreeSQL(p)
	w.discountPathless(p)
	if p.is&git != 0 {
		w.scoreGitSubcommand()
	}
	w.scoreServer(p)
	w.scoreAnnotations(p)
	if w.hasOwnEvidence(tExec) && !w.nameSet.meets(runActs) && unexecuted.MatchString(w.prose) {
		w.against[tExec] -= 4
	}
}

// unexecuted says that what a tool is given stays text.
var unexecuted = lazyregexp.New(`(?i)\b(?:without (?:actually |ever )?(?:executing|running|evaluating)|(?:does not|doesn't|never|will not) (?:actually |ever )?(?:execute|run|evaluate)s?) (?:it|them|any|anything|the (?:command|code|script|program|expression|query))\b`)

// scoreNameless judges the tool once more, by another profile, and keeps of each tag the judgement
// that is surer of it.
func (w *toolReader) scoreNameless(other *profile) {
	score, against, weighed, first := w.score, w.against, w.weighed, w.decided
	w.signals, w.kept = w.kept, w.signals
	w.scoreTags(other)
	w.weigh(other)
	var second [tagCount]bool
	for i := range second {
		if second[i] = w.decided[i] != first[i] && w.decided[i].AtLeast(first[i]); !second[i] {
			w.score[i], w.against[i], w.weighed[i], w.decided[i] = score[i], against[i], weighed[i], first[i]
		}
	}
	w.signals = slices.DeleteFunc(w.signals, func(s signal) bool { return !second[s.tag] })
	for _, s := range w.kept {
		if !second[s.tag] {
			w.signals = append(w.signals, s)
		}
	}
}

func (w *toolReader) hasMediumLabel() bool {
	for i := range uint8(tagCount) {
		if w.tagConfidence(i).AtLeast(capability.Medium) {
			return true
		}
	}
	return false
}

func (w *toolReader) addSignal(s signal) {
	w.signals = append(w.signals, s)
	if at := &w.score[s.tag][s.source]; s.weight > *at {
		*at = s.weight
	}
	if s.weight < 0 {
		w.against[s.tag] += s.weight
	}
}

// applyRules tries every rule on one action.
func (w *toolReader) applyRules(d *action, p *profile) {
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
		if d.plain && r.tag == capability.Exec {
			w.plainly[tExec] = true
			w.addSignal(signal{tag: tExec, source: byDescription, weight: weight, value: d.value, kind: "desc_phrase", start: d.act.start, end: d.act.end})
			continue
		}
		if d.faint || d.source == byDescription && w.contradictsName(d, r) {
			weight--
		}
		if r.tag == capability.Exec && d.source == byDescription && d.object.start < d.act.start && !w.nameAct.empty() && !w.nameAct.meets(runActs) {
			weight-- // "command execution" is what the tool's work is for
		}
		if d.source == byParameter && (r.tag == capability.SecretAccess || r.tag == capability.NetEgress) {
			weight = 1 // keys are listed and rotated more often than handed out, and any act may be a request
		}
		if r.tag == capability.SecretAccess && qualifiesSecret(w.stringOf(d.value), int(d.object.end)) {
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
			kind, text = "choice", d.text
			if text == "" {
				text = d.value.Text()
			}
		}
		if tag := tagIndex(r.tag); weight >= 2 && (d.source == byParameter || tag == tSecret && d.source == byDescription && leaks[w.actText(d)]) {
			w.plainly[tag] = true
		}
		w.addSignal(signal{text: text, tag: tagIndex(r.tag), source: d.source, weight: weight, value: d.value, kind: kind,
			start: min(d.act.start, d.object.start), end: max(d.act.end, d.object.end)})
	}
}

// actText returns the act of an action as it is written, in lower case; "" for one that is chosen by a parameter.
func (w *toolReader) actText(d *action) string {
	s := w.stringOf(d.value)
	return strings.ToLower(s[min(int(d.act.start), len(s)):min(int(d.act.end), len(s))])
}

// contradictsName reports whether a description tells of an act that goes against the name's: what a
// tool called delete_x reads and what one called get_x writes is said in passing.
func (w *toolReader) contradictsName(d *action, r *rule) bool {
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

// sumSources adds up a tag's sources; sources counts those that speak for it.
func (w *toolReader) sumSources(tag uint8) (sum, sources int) {
	for _, s := range w.score[tag] {
		if s > 0 {
			sum += int(s)
			sources++
		}
	}
	return sum + int(w.against[tag]), sources
}

// hasOwnEvidence reports whether anything but the server and annotations speaks for a tag.
func (w *toolReader) hasOwnEvidence(tag uint8) bool {
	s := &w.score[tag]
	return s[byName]+s[byDescription]+s[byParameter]+s[bySchemaSource] > 0
}

var (
	readActs    = lex.classSet("read", "search", "send", "upload")
	changeActs  = lex.classSet("write", "destroy", "generate")
	changeOnly  = lex.classSet("write", "destroy")
	anyAct      = lex.classSet("read", "write", "destroy", "run", "send", "upload", "download", "open")
	lookActs    = lex.classSet("read", "search")
	editActs    = lex.classSet("copy")
	copyActs    = lex.classSet("copy", "download")
	connectActs = lex.classSet("connect", "fetch", "navigate", "run")
	openActs    = lex.classSet("open", "navigate")
)

// hasAct reports whether the name, the first sentence or a choice of the caller has such an act.
func (w *toolReader) hasAct(of classes) bool {
	return w.nameAct.meets(of) || w.headSet.meets(of) || w.choice.meets(of)
}

var (
	downloadActs = lex.classSet("download")
	uploadActs   = lex.classSet("upload")
	haltActs     = lex.classSet("halt", "destroy")
	listenActs   = lex.classSet("listen")
	docActs      = lex.classSet("docact")
	cookieWords  = lex.classSet("cookie")
	cloudPlaces  = lex.classSet("remoteplace", "cloudpath")
	guidance     = lex.classSet("guidance")
	cwdWords     = lex.classSet("cwd")
	saveWords    = lex.classSet("savepath")
	uploadWords  = lex.classSet("uploadpath")
)

var (
	sqlWords   = lex.classSet("sqltext")
	readNames  = lex.classSet("selectname")
	selectOnly = lex.classSet("selectonly")
	readLangs  = lex.classSet("readlang")
	writeLangs = lex.classSet("writelang")
)

// ruleConfidence weighs the sources that the rules found for a tag; "" is no label.
func (w *toolReader) ruleConfidence(tag uint8) capability.Confidence {
	sum, sources := w.sumSources(tag)
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

// tagConfidence says how sure a label is; "" is no label.
func (w *toolReader) tagConfidence(tag uint8) capability.Confidence { return w.decided[tag] }
