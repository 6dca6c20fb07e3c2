package oatf

import (
	"strings"

	"gauntlet/internal/leaf/faults"
	"gauntlet/internal/leaf/planted"
	"gauntlet/rawjson"
)

// wireRules is GNT-211 for this runtime's own extension, which acts on bytes. Other x-* fields are not checked.
func (c *checker) wireRules() {
	c.misplaced(c.attack)
	c.misplaced(c.execution)
	for _, a := range c.actors {
		if a.value != c.execution {
			c.misplaced(a.value)
		}
		for _, p := range a.phases {
			c.misplaced(p.value.Get("state"))
			if v := p.value.Get(faults.Key); p.value != c.execution && v.Exists() && v.Kind() != rawjson.Null {
				c.wire(v)
			}
		}
	}
}

// misplaced reports rules where they have no effect.
func (c *checker) misplaced(v rawjson.Value) {
	if v.Get(faults.Key).Exists() {
		c.rule("GNT-211", v, faults.Key, "%s means something on a phase only; the form with one state has none: write phases", faults.Key)
	}
}

func (c *checker) wire(v rawjson.Value) {
	_, faults := faults.Read(v)
	for _, f := range faults {
		report := func() { c.rule("GNT-211", f.At, f.Key, "%s", f.Text) }
		if !f.Name {
			report()
			continue
		}
		for m := range f.At.Members() {
			if m.Key.Text() == f.Key {
				c.atName(m, report)
				break
			}
		}
	}
}

// fileRules is GNT-213 for this runtime's own extension, which writes files.
func (c *checker) fileRules() {
	holders := []rawjson.Value{c.root, c.execution}
	for _, a := range c.actors {
		holders = append(holders, a.value)
		for _, p := range a.phases {
			holders = append(holders, p.value, p.value.Get("state"))
		}
	}
	for _, v := range holders {
		if v.Get(planted.Key).Exists() {
			c.rule("GNT-213", v, planted.Key, "%s means something on the attack only, beside execution", planted.Key)
			return
		}
	}
	v := c.attack.Get(planted.Key)
	if !v.Exists() || v.Kind() == rawjson.Null {
		return
	}
	files, faults := planted.Read(v)
	for _, f := range faults {
		c.rule("GNT-213", f.At, f.Key, "%s", f.Text)
	}
	for _, f := range files {
		if f.Marker != "" && strings.Contains(c.execution.Raw(), f.Marker) {
			c.rule("GNT-213", v, "", "the marker %q is said by an actor, too: it would not show that %s was read", f.Marker, f.Path)
		}
	}
	if _, taken := c.actorNamed[planted.Server]; taken {
		c.rule("GNT-213", v, "", "the actor %s takes the name of the server for agents without tools of their own", planted.Server)
	}
}
