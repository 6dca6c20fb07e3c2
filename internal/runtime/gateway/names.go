package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// Front names are ours: "bank__search" is the tool "search" of the server bank, whatever names other servers use, and every name is
// valid for model providers. A tool or prompt keeps its name if no other server has it, it does not begin like another server's
// qualified names, is not another server's qualified name with other signs ("bank-search"), no earlier one of its server has it, and it
// is valid. "Search" and "search" are one name to people and models.

const (
	separator     = "__"
	maxName       = 64 // of model providers
	maxNamePrefix = 24
	clientPrefix  = "mcp" // which Claude Code and others put before a server's name, with a separator
)

// unacceptable matches characters that providers reject in tool names.
var unacceptable = lazyregexp.New(`[^A-Za-z0-9_-]+`)

// prefixesOf returns the prefix of each server's tool names, before the separator: unique ignoring case, without a separator or
// part of one at the end.
func prefixesOf(servers []Upstream) []string {
	out, taken := make([]string, len(servers)), map[string]bool{clientPrefix: true}
	for _, exact := range []bool{true, false} { // a server with exactly that name keeps it
		for i := range servers {
			clean := strings.Trim(unacceptable.ReplaceAllString(servers[i].Name, "_"), "_")
			for strings.Contains(clean, separator) {
				clean = strings.ReplaceAll(clean, separator, "_")
			}
			clean = strings.TrimRight(clean[:min(len(clean), maxNamePrefix)], "_")
			clean = cmp.Or(clean, "server")
			if out[i] != "" || exact != (clean == servers[i].Name) {
				continue
			}
			out[i] = clean
			for n := 2; taken[strings.ToLower(out[i])]; n++ {
				out[i] = clean + "-" + strconv.Itoa(n)
			}
			taken[strings.ToLower(out[i])] = true
		}
	}
	return out
}

// A frontName is an item's name at the front, and why it differs from the server's.
type frontName struct {
	name, why string
}

// nameItems names the tools or prompts of all servers, whose own names are given in order. Qualified names come first, so that no
// other item takes one. taken are the names of earlier pages in lower case.
func nameItems(servers []Upstream, prefixes []string, own [][]string, taken map[string]bool) []map[string]frontName {
	owners, shared, written := map[string]int{}, map[string]bool{}, map[string]int{}
	out := make([]map[string]frontName, len(own))
	for i := range own {
		out[i] = map[string]frontName{}
		for _, id := range own[i] {
			owner, known := owners[strings.ToLower(id)]
			shared[strings.ToLower(id)] = shared[strings.ToLower(id)] || known && owner != i
			owners[strings.ToLower(id)] = i
			written[writtenName(prefixes[i]+separator+id)] = i
		}
	}
	qualify := func(i int, id, why string) {
		name := qualifiedName(prefixes[i], id, false)
		if taken[strings.ToLower(name)] {
			name = qualifiedName(prefixes[i], id, true)
		}
		taken[strings.ToLower(name)] = true
		out[i][id] = frontName{name, why}
	}
	each := func(do func(i int, id string)) {
		for i := range own {
			for _, id := range own[i] {
				if out[i][id].name == "" {
					do(i, id)
				}
			}
		}
	}
	each(func(i int, id string) {
		posesAs := beginsLike(prefixes, id)
		if of, ok := written[writtenName(id)]; ok && posesAs < 0 {
			posesAs = of
		}
		switch {
		case shared[strings.ToLower(id)]:
			qualify(i, id, "several servers have it")
		case posesAs >= 0 && posesAs != i:
			qualify(i, id, "it is like the names that those of "+servers[posesAs].Name+" get")
		case len(id) > maxName || unacceptable.MatchString(id) || id == "":
			qualify(i, id, "model providers accept names of at most "+strconv.Itoa(maxName)+" letters, digits, _ and - only")
		}
	})
	each(func(i int, id string) {
		if taken[strings.ToLower(id)] {
			qualify(i, id, "another one of the server is called that, letter case aside")
			return
		}
		taken[strings.ToLower(id)] = true
		out[i][id] = frontName{name: id}
	})
	return out
}

// writtenName is a name without what tells names apart for programs alone.
func writtenName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' && r < utf8.RuneSelf }), "_")
}

// beginsLike returns the server whose qualified names begin like name, with or without a client's prefix, or -1.
func beginsLike(prefixes []string, name string) int {
	const before = clientPrefix + separator
	if len(name) > len(before) && strings.EqualFold(name[:len(before)], before) {
		name = name[len(before):]
	}
	for i, p := range prefixes {
		if len(name) > len(p) && strings.EqualFold(name[:len(p)], p) && strings.HasPrefix(name[len(p):], separator) {
			return i
		}
	}
	return -1
}

// qualifiedName returns a name that no other server's item has. If it is too long, has no valid characters, or unique is set, part
// of it is a hash of the whole name.
func qualifiedName(prefix, id string, unique bool) string {
	name := prefix + separator + strings.Trim(unacceptable.ReplaceAllString(id, "_"), "_")
	if len(name) <= maxName && !unique && len(name) > len(prefix+separator) {
		return name
	}
	sum := sha256.Sum256([]byte(id))
	digest := hex.EncodeToString(sum[:4])
	if len(name) > len(prefix+separator) {
		digest = "_" + digest
	}
	return name[:min(len(name), maxName-len(digest))] + digest
}

func idOf(item string, list int) string {
	return rawjson.LastText(item, mcp.Lists[list].ID)
}
