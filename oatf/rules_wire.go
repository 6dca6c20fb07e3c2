package oatf

import (
	"gauntlet/internal/leaf/faults"
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
