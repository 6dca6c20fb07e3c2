package schema

import (
	"strconv"
	"strings"

	"gauntlet/rawjson"
)

// An index maps an object's members by name, the last of repeated ones, or an array's elements by number.
type index map[string]rawjson.Value

// indexOf avoids scanning the object for each member: a hostile schema has many.
func (c *comparer) indexOf(v rawjson.Value) index {
	if x, ok := c.indexes[v]; ok {
		return x
	}
	x := index{}
	for m := range v.Members() {
		x[m.Key.Text()] = m.Value
	}
	for i, e := range v.Elements() {
		x[strconv.Itoa(i)] = e
	}
	c.indexes[v] = x
	return x
}

// followReference follows a schema that is only a local reference, apart from annotations. at is the target's place, "" if there is
// none.
func (c *comparer) followReference(root, v rawjson.Value) (target rawjson.Value, at string) {
	ref := c.indexOf(v)["$ref"]
	if ref.Kind() != rawjson.String {
		return v, ""
	}
	for m := range v.Members() {
		if name := m.Key.Text(); name != "$ref" && annotations[name] == "" {
			return v, ""
		}
	}
	if target, at = c.lookUpReference(root, ref.Text()); target.Exists() {
		return target, at
	}
	return v, ""
}

// unescapePointer decodes a JSON Pointer token (RFC 6901).
var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// lookUpReference resolves a local reference: "#", or "#/" and a JSON Pointer.
func (c *comparer) lookUpReference(root rawjson.Value, ref string) (v rawjson.Value, pointer string) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return rawjson.Value{}, ""
	}
	v = root
	for i, token := range strings.Split(pointer, "/") {
		if i > 0 {
			v = c.indexOf(v)[unescapePointer.Replace(token)]
		}
	}
	return v, pointer
}

// compareBranches compares allOf and anyOf: branch by branch if their number is equal, since a schema with a wider branch is wider;
// otherwise by added and removed branches.
func (c *comparer) compareBranches(p place, name string) Class {
	old, new := p.valuesOf(name)
	was, is := canonicalElements(old), canonicalElements(new)
	refers := mayRefer(old.Raw()) || mayRefer(new.Raw())
	class, words := compareSets(was, is), "branches "+describeEdits(was, is)
	switch {
	case !refers && old.Canonical() == new.Canonical():
		return Same
	case len(was) == 0 || len(is) == 0:
		class, words = Unclear, "not a list of schemas on one side"
	case old.Len() == new.Len() && (class != Same || refers):
		class = Same
		branches := c.indexOf(new)
		for i, branch := range old.Elements() {
			n := strconv.Itoa(i)
			class = class.and(c.compareSchemas(branch, branches[n], p.below(name)+"/"+n, p.depth+1))
		}
		return class
	case class == Same:
		words = "branches in another order"
	case class == Unrelated || refers:
		class = Unclear
	case name == "allOf":
		class = class.inverse() // more conditions accept less
	}
	return c.reportChange(p.keywordChange(name, class, words))
}

// compareDefinitions reports changes of definitions that no compared reference led to. A keyword that is not compared may use them.
func (c *comparer) compareDefinitions() Class {
	class := Same
	for _, group := range []string{"$defs", "definitions"} {
		old, new := c.oldRoot.Get(group), c.newRoot.Get(group)
		if sameMember(c.oldRoot, c.newRoot, group) {
			continue
		}
		for _, d := range rawjson.Differences(old, new, maxChanges) {
			name, _, below := strings.Cut(strings.TrimPrefix(d.Pointer, "/"), "/")
			if c.referenced["/"+group+"/"+name] {
				continue
			}
			ch := Change{Pointer: "/" + group + d.Pointer, Class: Same, Words: "a definition that one of the schemas lacks", Old: d.Old, New: d.New}
			if below || d.Old.Exists() && d.New.Exists() {
				ch.Class, ch.Words = Unclear, "a definition whose use is not compared"
			}
			class = class.and(c.reportChange(ch))
		}
	}
	return class
}
