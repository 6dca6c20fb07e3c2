package classify

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/text"
)

//go:embed roles.txt
var rolesText string

// A roleScore is what speaks for one role, and what else was in question.
type roleScore struct {
	role      capability.Role
	name      int // weight of the name
	desc      int // weight of the description
	schema    int // weight of type and format
	evidence  [3]string
	evidences int
}

func (r *roleScore) roleConfidence() capability.Confidence {
	sources := 0
	for _, w := range [...]int{r.name, r.desc, r.schema} {
		if w > 0 {
			sources++
		}
	}
	switch {
	case sources >= 2, r.schema >= 4, r.name >= 3:
		return capability.High
	case r.name+r.desc+r.schema >= 2:
		return capability.Medium
	}
	return capability.Low
}

type roleName struct {
	role   capability.Role
	weight int
}

// roleNames holds, for a word, the roles it may stand for, the heaviest first.
var roleNames = mustParseRoles(rolesText)

func mustParseRoles(data string) map[string][]roleName {
	out := map[string][]roleName{}
	for line := range strings.Lines(data) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		head, names, ok := strings.Cut(line, ":")
		role, weight, _ := strings.Cut(strings.TrimSpace(head), " ")
		r, err := capability.ParseRole(role)
		w, err2 := strconv.Atoi(weight)
		if !ok || err != nil || err2 != nil {
			panic(fmt.Sprintf("classify: roles.txt: %q", line))
		}
		for n := range strings.FieldsSeq(names) {
			out[n] = append(out[n], roleName{r, w})
		}
	}
	return out
}

// roleOrder breaks ties: a role that is probed goes before one that is not.
var roleOrder = capability.Roles()

func roleIndex(r capability.Role) int {
	for i, o := range roleOrder {
		if o == r {
			return i
		}
	}
	return len(roleOrder) - 1
}

const numRoles = 8

// A tally adds up what speaks for each role, by source.
type tally struct {
	name, desc, schema [numRoles]int
	what               [numRoles][3]string
}

func (t *tally) addEvidence(to *[numRoles]int, source int, r capability.Role, weight int, what string) {
	i := roleIndex(r)
	if weight > to[i] {
		to[i], t.what[i][source] = weight, what
	}
}

func (t *tally) bestRole() roleScore {
	best, at := -1, 0
	for i := range numRoles {
		if sum := t.name[i] + t.desc[i] + t.schema[i]; sum > best {
			best, at = sum, i
		}
	}
	if best <= 0 {
		at = roleIndex(capability.Text)
	}
	s := roleScore{role: roleOrder[at], name: t.name[at], desc: t.desc[at], schema: t.schema[at]}
	for _, w := range t.what[at] {
		if w != "" {
			s.evidence[s.evidences] = w
			s.evidences++
		}
	}
	return s
}

// A use is what a tool as a whole says about its parameters.
type use struct {
	runs, queries, files, hosts bool

	mail bool // its folders are those of a mailbox
}

// paramName cuts the name of a parameter into lower-case words, of a long name the first four and the last four.
func paramName(name string, into []string) []string { return appendName(into[:0], name) }

func appendName(into []string, name string) []string {
	if !isASCII(name) {
		name = text.Skeleton(name)
	}
	most := len(into) + 8
	for i := 0; i < len(name); {
		if !isWordByte(name[i]) {
			i++
			continue
		}
		from := i
		for i++; i < len(name) && isWordByte(name[i]) && !startsPart(name, i); i++ {
		}
		if len(into) == most {
			into = append(into[:most-4], into[most-3:]...)
		}
		into = append(into, strings.ToLower(name[from:i]))
	}
	return into
}

var formats = map[string]roleName{
	"uri": {capability.URL, 4}, "url": {capability.URL, 4}, "uri-reference": {capability.URL, 4}, "iri": {capability.URL, 4}, "uri-template": {capability.URL, 4},
	"hostname": {capability.Host, 4}, "idn-hostname": {capability.Host, 4}, "ipv4": {capability.Host, 4}, "ipv6": {capability.Host, 4}, "ip": {capability.Host, 4},
	"uuid": {capability.ID, 4}, "date": {capability.Text, 4}, "date-time": {capability.Text, 4}, "time": {capability.Text, 4}, "duration": {capability.Text, 4}, "email": {capability.Text, 4},
	"path": {capability.Path, 4}, "file-path": {capability.Path, 4}, "filepath": {capability.Path, 4}, "directory-path": {capability.Path, 4}, "file": {capability.Path, 3},
	"content": {capability.Content, 3}, "byte": {capability.Content, 3}, "binary": {capability.Content, 3}, "sql": {capability.Query, 4},
}

func (w *toolReader) decideRole(p *parameter, u use) {
	var t tally
	words := p.parts
	w.scoreRoleName(&t, p, words)
	if !p.closed && p.kind != boolKind && p.kind != numberKind {
		w.scoreRoleDescription(&t, p)
	}
	scoreRoleSchema(&t, p, words)
	if n := len(words); n > 1 && (words[n-1] == "id" || words[n-1] == "ids") {
		for _, r := range [...]int{rPath, rURL, rCommand, rQuery, rHost} {
			t.desc[r] = 0 // channel_id, "Channel to share the file to"
		}
	}
	if w.isJSONPatchPath(p) {
		t.replaceRole(rPath, capability.Text, p.name)
		t.desc[rPath] = 0
	}
	scoreRoleUse(&t, p, words, u)
	p.role = t.bestRole()
}

func (w *toolReader) scoreRoleName(t *tally, p *parameter, words []string) {
	if len(words) == 0 {
		return
	}
	whole := p.whole
	last := words[len(words)-1]
	found := roleNames[whole]
	if found == nil && last == "name" && len(words) > 1 {
		switch words[len(words)-2] {
		case "file", "dir", "directory", "folder", "path":
			found = []roleName{{capability.Path, 3}}
		case "host", "domain", "server":
			found = []roleName{{capability.Host, 2}}
		case "display", "first", "last", "full", "new":
			found = []roleName{{capability.Text, 2}}
		default:
			found = []roleName{{capability.ID, 2}}
		}
	}
	if found == nil {
		found = lookupRole(last)
	}
	if found == nil && len(words) > 1 && !modifiers[last] {
		for _, f := range lookupRole(words[0]) { // pathPrefix, urlTemplate: what it is part of
			if f.role != capability.Text && f.weight > 1 {
				found = append(found, roleName{f.role, 1})
			}
		}
	}
	for _, f := range found {
		t.addEvidence(&t.name, 0, f.role, f.weight, "param_name:"+p.name)
	}
}

// ParameterRole returns the role that a parameter's name suggests, capability.Text if it suggests none.
func ParameterRole(name string) capability.Role {
	var t tally
	p := parameter{name: name, parts: paramName(name, nil)}
	p.whole = strings.Join(p.parts, "")
	newToolReader(new(Lens)).scoreRoleName(&t, &p, p.parts)
	return t.bestRole().role
}

func lookupRole(w string) []roleName {
	if f := roleNames[w]; f != nil {
		return f
	}
	if s, ok := strings.CutSuffix(w, "s"); ok {
		return roleNames[s]
	}
	return nil
}

// modifiers end names whose first word says nothing about the value: fileType, urlCount.
var modifiers = map[string]bool{"type": true, "count": true, "size": true, "limit": true, "mode": true, "format": true, "only": true, "length": true, "flag": true, "enabled": true, "timeout": true, "version": true, "level": true, "index": true, "date": true, "at": true, "by": true}

func scoreRoleSchema(t *tally, p *parameter, words []string) {
	if f, ok := formats[p.format]; ok {
		t.addEvidence(&t.schema, 2, f.role, f.weight+2, "schema_format:"+p.format)
	}
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	switch {
	case p.closed:
		t.addEvidence(&t.schema, 2, capability.Text, 6, "schema_enum")
	case p.kind == boolKind:
		t.addEvidence(&t.schema, 2, capability.Text, 8, "schema_type:boolean")
	case p.kind == numberKind:
		if last == "id" || last == "number" && !(len(words) > 1 && places[words[len(words)-2]]) || last == "pid" || last == "iid" || last == "ids" || len(words) == 1 && isEntityNumber(last) {
			t.addEvidence(&t.schema, 2, capability.ID, 8, "schema_type:number")
		} else {
			t.addEvidence(&t.schema, 2, capability.Text, 8, "schema_type:number")
		}
	case p.kind == objectKind:
		t.addEvidence(&t.schema, 2, capability.Content, 3, "schema_type:object")
	}
}

var cues = func() (out [numRoles]classes) {
	for i, r := range roleOrder {
		out[i] = cueLex.classSet("cue_" + string(r))
	}
	return out
}()

var allCues = func() (s classes) {
	for _, c := range cues {
		s = s.with(c)
	}
	return s
}()

var cueStop = cueLex.classSet("cue_stop")

// cueWords is how far into a description its cues are read as what it says first, in words. Behind them,
// a cue of a command counts by its place in its sentence if the name leaves open what the parameter is.
const cueWords = 24

// scoreRoleDescription reads what the description of a parameter says of its value. What comes
// first weighs more: later words tell what the value is for.
func (w *toolReader) scoreRoleDescription(t *tally, p *parameter) {
	s := w.saidOf(p)
	found, stopped := 0, false
	sentence, begin := int16(0), int32(0)
	for _, k := range w.tok.tokenizeCues(s) {
		if k.sentence != sentence {
			sentence, begin = k.sentence, k.place
		}
		place := k.place
		stopped = stopped || k.set.meets(cueStop) && found+int(k.place) > 0
		if stopped || k.place > cueWords {
			if slices.Max(t.name[:]) >= 3 {
				break
			}
			found = 0
			if place -= begin; k.place <= cueWords || !k.set.meets(cues[rCommand]) {
				continue
			}
		}
		if !k.set.meets(allCues) {
			continue
		}
		weight := 3
		if place > 5 || found > 0 {
			weight = 2
		}
		if place > 10 || found > 1 {
			weight = 1
		}
		found++
		for i, c := range cues {
			if k.set.meets(c) {
				if roleOrder[i] == capability.Text || roleOrder[i] == capability.ID {
					weight = min(weight, 2)
				}
				t.addEvidence(&t.desc, 1, roleOrder[i], weight, "param_description:"+s[k.start:k.end])
			}
		}
	}
}

// The places of the roles that byUse weighs.
var (
	rPath, rURL, rCommand = roleIndex(capability.Path), roleIndex(capability.URL), roleIndex(capability.Command)
	rContent              = roleIndex(capability.Content)
	rQuery, rHost         = roleIndex(capability.Query), roleIndex(capability.Host)
)

// isEntityNumber reports whether a number of this name says which one is meant: the owner, the
// tags. Pages, runs and indexes are counted.
func isEntityNumber(word string) bool {
	if numbered[word] || places[word] {
		return false
	}
	f := lookupRole(word)
	return len(f) > 0 && f[0].role == capability.ID && f[0].weight >= 2
}

var numbered = map[string]bool{"cursor": true, "key": true, "ref": true, "branch": true, "handle": true, "page": true, "pages": true, "index": true, "indexname": true, "build": true, "run": true, "release": true, "revision": true, "node": true, "nodes": true, "parent": true, "from": true, "members": true, "users": true,
	"jobs": true, "instance": true, "instances": true, "labels": true, "record": true, "records": true, "token": true, "tokens": true, "results": true}

// places are counted and identify nothing: page_number, lineNumber.
var places = map[string]bool{"page": true, "line": true, "row": true, "column": true, "step": true, "slide": true, "bin": true, "chapter": true}

// scoreRoleUse lets what the tool does decide between the meanings of a name.
func scoreRoleUse(t *tally, p *parameter, words []string, u use) {
	if p.closed || p.kind == boolKind || p.kind == numberKind || len(words) == 0 {
		return
	}
	if last := words[len(words)-1]; u.mail && strings.HasPrefix(last, "folder") {
		t.name[rPath], t.desc[rPath] = 0, 0
		t.replaceRole(rPath, capability.ID, p.name)
	}
	switch {
	case p.kind == objectKind: // files: [{path, content}]
		for _, r := range [...]int{rCommand, rPath, rURL, rHost} {
			t.name[r], t.desc[r] = 0, 0
		}
		if t.name[rQuery] > 0 { // filter: {"age": {"$gt": 1}}
			t.name[rQuery] += 4
		}
	case u.runs && t.name[rCommand] > 1:
		t.name[rCommand] += 2
	case !u.runs && t.name[rCommand] == 2 && t.desc[rCommand] < 2: // code that is stored or read
		as := capability.Content
		if exprNamed[strings.ToLower(p.name)] {
			as = capability.Text
		}
		t.replaceRole(rCommand, as, p.name)
	}
	switch {
	case u.queries && t.name[rQuery] > 0:
		t.name[rQuery] += 2
	case t.name[rQuery] > 0 && t.name[rQuery] < 3 && t.desc[rQuery] == 0: // words to search for
		t.replaceRole(rQuery, capability.Text, p.name)
	}
	if u.hosts && t.name[rHost] > 0 { // a target that is scanned
		t.name[rHost]++
	}
	if u.files && t.name[rPath] == 1 {
		t.name[rPath] += 2
	}
	for _, r := range [...]int{rCommand, rQuery, rHost, rURL, rPath} {
		if t.name[r] == 1 && t.desc[r] == 0 { // a word with many meanings, and nobody says which
			t.name[r] = 0
		}
	}
}

func (t *tally) replaceRole(of int, role capability.Role, name string) {
	t.name[of] = 0
	t.addEvidence(&t.name, 0, role, 2, "param_name:"+name)
}

// isJSONPatchPath reports whether a path is that of a JSON Patch, {"op": "replace", "path": "/name"}: it leads into the
// document that is changed.
func (w *toolReader) isJSONPatchPath(p *parameter) bool {
	if p.name != "path" && p.name != "from" || p.above < 0 {
		return false
	}
	return slices.ContainsFunc(w.params, func(q parameter) bool { return q.above == p.above && q.name == "op" })
}
