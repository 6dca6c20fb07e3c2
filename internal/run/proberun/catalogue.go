package proberun

import (
	_ "embed" // the table
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/probe"
)

//go:embed payloads.txt
var payloadTable string

// A catalogue is what payloads.txt says: which values there are, which parameters ask for them, and which are meant to take them.
type catalogue struct {
	lists       map[string][]variant
	asked, wide []rule // by labels and roles; cheap to try on any text
	languages   map[probe.Class]*language
}

var payloads = readCatalogue(payloadTable)

// readCatalogue reads a table. Tests hold that ours names only what there is.
func readCatalogue(table string) catalogue {
	c := catalogue{lists: map[string][]variant{}, languages: map[probe.Class]*language{}}
	section, shared := "", variant{}
	for line := range strings.Lines(table) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case columns[0] == "" || line[0] == '#':
		case line[0] == '[':
			name, properties, _ := strings.Cut(columns[0][1:], "]")
			section, shared = name, readProperties(properties)
		case columns[0] == "asked":
			c.asked = append(c.asked, c.readRule(columns[1:]))
		case columns[0] == "wide":
			c.wide = append(c.wide, c.readRule(columns[1:]))
		case columns[0] == "language":
			c.readLanguage(probe.Class(columns[1]), columns[2], columns[3])
		default:
			shared.name, shared.value = columns[0], columns[1]
			if plain, err := strconv.Unquote(columns[1]); err == nil && columns[1][0] == '"' {
				shared.value = plain
			}
			c.lists[section] = append(c.lists[section], shared)
		}
	}
	return c
}

// readProperties reads what the values of a section share.
func readProperties(text string) (v variant) {
	text, v.whole, _ = strings.Cut(text, "; whole: ")
	for property := range strings.SplitSeq(text, "; ") {
		switch key, value, _ := strings.Cut(strings.TrimSpace(property), ": "); key {
		case "expect":
			for kind := range strings.SplitSeq(value, ", ") {
				v.expect = append(v.expect, probe.Kind(kind))
			}
		case "leads":
			v.leads = value
		case "plant":
			v.plant = plants[value]
		case "encode":
			v.encode = encodings[value]
		case "escapes":
			v.escapes = true
		}
	}
	return v
}

// encodings are ways to write a whole value.
var encodings = map[string]func(string) string{
	"base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"percent": func(s string) string { return strings.ReplaceAll(url.PathEscape(s), ".", "%2e") },
}

// readRule reads who asks for a class. A list may be cut to its first values: "traversal:4".
func (c *catalogue) readRule(columns []string) rule {
	r := rule{class: probe.Class(columns[0])}
	for _, role := range strings.Fields(strings.Trim(columns[1], "-")) {
		r.roles = append(r.roles, capability.Role(role))
	}
	for _, tag := range strings.Fields(strings.Trim(columns[2], "-")) {
		r.tags = append(r.tags, capability.Tag(tag))
	}
	for _, list := range strings.Fields(columns[3]) {
		name, first, _ := strings.Cut(list, ":")
		all := c.lists[name]
		if n, err := strconv.Atoi(first); err == nil {
			all = all[:n]
		}
		r.variants = append(r.variants, all...)
	}
	if len(columns) > 4 {
		r.fits = toolNames[columns[4]]
	}
	return r
}

// toolNames are the names of tools that a rule is for.
var toolNames = map[string]func(*tool) bool{"archives": archives, "may take archives": mayTakeArchives}
