package classify

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/text"
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

func (r *roleScore) confidence() capability.Confidence {
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

func (t *tally) add(to *[numRoles]int, source int, r capability.Role, weight int, what string) {
	i := roleIndex(r)
	if weight > to[i] {
		to[i], t.what[i][source] = weight, what
	}
}

// named reports whether the name says plainly enough what the parameter is.
func (t *tally) named() bool { return slices.Max(t.name[:]) >= 2 }

func (t *tally) best() roleScore {
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

// paramName cuts the name of a parameter into lower-case words, at most 8.
func paramName(name string, into []string) []string {
	if !ascii(name) {
		name = text.Skeleton(name)
	}
	into = into[:0]
	for i := 0; i < len(name) && len(into) < 8; {
		if !wordByte(name[i]) {
			i++
			continue
		}
		from := i
		for i++; i < len(name) && wordByte(name[i]) && !hump(name, i); i++ {
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

// role decides what a parameter is.
func (w *worker) role(p *parameter, u use) {
	var t tally
	words := paramName(p.name, w.words[:0])
	w.words = words
	w.byName(&t, p, words)
	if !p.closed && p.kind != boolKind && p.kind != numberKind {
		w.byDescription(&t, p)
	}
	bySchema(&t, p, words)
	byUse(&t, p, words, u)
	p.role = t.best()
}

func (w *worker) byName(t *tally, p *parameter, words []string) {
	if len(words) == 0 {
		return
	}
	whole := strings.Join(words, "")
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
	if found == nil && len(words) > 2 {
		found = roleNames[words[len(words)-2]+last]
	}
	if found == nil {
		found = lookupRole(last)
	}
	if found == nil && len(words) > 1 && !modifiers[last] {
		for _, f := range lookupRole(words[0]) { // pathPrefix, urlTemplate: what it is part of
			if f.role != capability.Text && f.weight > 1 {
				weight := 1
				if f.weight > 2 && beginnings[last] {
					weight = 2
				}
				found = append(found, roleName{f.role, weight})
			}
		}
	}
	for _, f := range found {
		t.add(&t.name, 0, f.role, f.weight, "param_name:"+p.name)
	}
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

// beginnings end names of parameters that hold the first part of what the first word names.
var beginnings = map[string]bool{"prefix": true, "root": true, "base": true, "template": true}

// modifiers end names whose first word says nothing about the value: fileType, urlCount.
var modifiers = map[string]bool{"type": true, "count": true, "size": true, "limit": true, "mode": true, "format": true, "only": true, "length": true, "flag": true, "enabled": true, "timeout": true, "version": true, "level": true, "index": true, "date": true, "at": true, "by": true}

func bySchema(t *tally, p *parameter, words []string) {
	if f, ok := formats[p.format]; ok {
		t.add(&t.schema, 2, f.role, f.weight+2, "schema_format:"+p.format)
	}
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	switch {
	case p.closed:
		t.add(&t.schema, 2, capability.Text, 6, "schema_enum")
	case p.kind == boolKind:
		t.add(&t.schema, 2, capability.Text, 8, "schema_type:boolean")
	case p.kind == numberKind:
		if last == "id" || last == "number" && !(len(words) > 1 && places[words[len(words)-2]]) || last == "pid" || last == "iid" || last == "ids" || len(words) == 1 && entityNumber(last) {
			t.add(&t.schema, 2, capability.ID, 8, "schema_type:number")
		} else {
			t.add(&t.schema, 2, capability.Text, 8, "schema_type:number")
		}
	case p.kind == objectKind:
		t.add(&t.schema, 2, capability.Content, 3, "schema_type:object")
	}
}

var cues = func() (out [numRoles]classes) {
	for i, r := range roleOrder {
		out[i] = cueLex.set("cue_" + string(r))
	}
	return out
}()

var allCues = func() (s classes) {
	for _, c := range cues {
		s = s.with(c)
	}
	return s
}()

var cueStop = cueLex.set("cue_stop")

// cueWords is how far into a description its cues are read, in words.
const cueWords = 24

// byDescription reads what the description of a parameter says of its value. What comes
// first weighs more: later words tell what the value is for.
func (w *worker) byDescription(t *tally, p *parameter) {
	s := p.doc
	if p.desc.Exists() {
		s = p.desc.Text()
	}
	if s == "" {
		return
	}
	found := 0
	for _, k := range w.tok.cue(s) {
		if k.place > cueWords || k.set.meets(cueStop) && found+int(k.place) > 0 {
			break
		}
		if !k.set.meets(allCues) {
			continue
		}
		weight := 3
		if k.place > 5 || found > 0 {
			weight = 2
		}
		if k.place > 10 || found > 1 {
			weight = 1
		}
		found++
		for i, c := range cues {
			if k.set.meets(c) {
				if weight == 2 && i <= rHost && t.name[i] == 0 && t.named() {
					weight = 1 // "a profile with credentials and commands" is a profile
				}
				if roleOrder[i] == capability.Text || roleOrder[i] == capability.ID {
					weight = min(weight, 2)
				}
				t.add(&t.desc, 1, roleOrder[i], weight, "param_description:"+s[k.start:k.end])
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

// entityNumber reports whether a number of this name says which one is meant: the owner, the
// tags. Pages, runs and indexes are counted.
func entityNumber(word string) bool {
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

// codeWords begin names of parameters that hold code as a text.
var codeWords = map[string]bool{"script": true, "code": true, "command": true, "program": true, "snippet": true}

// byUse lets what the tool does decide between the meanings of a name.
func byUse(t *tally, p *parameter, words []string, u use) {
	if p.closed || p.kind == boolKind || p.kind == numberKind || len(words) == 0 {
		return
	}
	if last := words[len(words)-1]; u.mail && strings.HasPrefix(last, "folder") {
		t.name[rPath], t.desc[rPath] = 0, 0
		t.instead(rPath, capability.ID, p.name)
	}
	switch {
	case p.kind == objectKind: // files: [{path, content}]
		for _, r := range [...]int{rCommand, rPath, rURL, rHost} {
			t.name[r], t.desc[r] = 0, 0
		}
		if t.name[rQuery] > 0 { // filter: {"age": {"$gt": 1}}
			t.name[rQuery] += 4
		}
	case u.runs && len(words) > 1 && codeWords[words[0]] && t.name[rContent] > 2: // script_content
		t.desc[rContent] = 0
		t.instead(rContent, capability.Command, p.name)
	case u.runs && t.name[rCommand] > 1:
		t.name[rCommand] += 2
	case !u.runs && t.name[rCommand] == 2 && t.desc[rCommand] < 2: // code that is stored or read
		as := capability.Content
		if exprNamed[strings.ToLower(p.name)] {
			as = capability.Text
		}
		t.instead(rCommand, as, p.name)
	}
	switch {
	case u.queries && t.name[rQuery] > 0:
		t.name[rQuery] += 2
	case t.name[rQuery] > 0 && t.name[rQuery] < 3 && t.desc[rQuery] == 0: // words to search for
		t.instead(rQuery, capability.Text, p.name)
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

// instead takes a name for another role.
func (t *tally) instead(of int, role capability.Role, name string) {
	t.name[of] = 0
	t.add(&t.name, 0, role, 2, "param_name:"+name)
}
