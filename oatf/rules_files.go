package oatf

import (
	"strings"

	"gauntlet/internal/leaf/planted"
	"gauntlet/rawjson"
)

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
