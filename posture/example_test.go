package posture_test

import (
	"fmt"

	"gauntlet/catalog"
	"gauntlet/posture"
	"gauntlet/rawjson"
)

const snapshot = `{
  "server": {"name": "notes", "version": "1.2.0"},
  "tools": [
    {"name": "find", "inputSchema": {"type": "object", "additionalProperties": false}, "annotations": {"readOnlyHint": true}},
    {"name": "wipe", "inputSchema": {"type": "object"}}
  ]
}`

// Map reads a catalog and says of every signal whether its definitions show it.
func ExampleMap() {
	c, err := catalog.Parse("notes.json", snapshot, catalog.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range posture.Map(c) {
		if s.ID == "read-only-hint" || s.ID == "tool-version" || s.ID == "rate-limit" || s.ID == "sandbox" {
			fmt.Printf("%s: %s, %s (%s)\n", s.ID, s.State, s.Detail, s.Layer)
		}
	}
	// Output:
	// read-only-hint: seen, 1 of 2 tools (L4 server/tool)
	// rate-limit: requires_active_probe, needs a burst of calls; no limit in N calls would still not mean that there is none (L4 server/tool)
	// sandbox: not_observable, what the server's process may reach cannot be told from its answers (L4 server/tool)
	// tool-version: not_seen, 0 of 2 tools (L6 registry)
}

// A program that walks the definitions anyway feeds a Collector, and merges those of several
// goroutines.
func ExampleCollector() {
	c, err := catalog.Parse("notes.json", snapshot, catalog.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var all posture.Collector
	for _, s := range c.Servers {
		var one posture.Collector
		var tree rawjson.Tree
		one.AddServer(s)
		for item := range s.Items() {
			one.Add(s, item, item.Parse(s, &tree))
		}
		all.Merge(&one)
	}
	fmt.Println(len(all.Signals()) == len(posture.Map(c)))
	// Output: true
}
