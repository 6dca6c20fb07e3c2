package oatf

import (
	"gauntlet/internal/hostile"
	"gauntlet/rawjson"
)

// wireRules is GNT-211: an extension of this runtime's own, which it plays on the level of
// bytes. Whatever else begins with x- is nobody's business.
func (c *checker) wireRules() {
	for _, a := range c.actors {
		for _, p := range a.phases {
			if v := p.value.Get(hostile.Key); p.value != c.execution && v.Exists() && v.Kind() != rawjson.Null {
				c.wire(v)
			}
		}
	}
}

func (c *checker) wire(v rawjson.Value) {
	_, faults := hostile.Read(v)
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
