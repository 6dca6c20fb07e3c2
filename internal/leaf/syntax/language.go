package syntax

import (
	"slices"
	"strings"
	"sync"
)

// A Language is a grammar. It is safe for concurrent use.
type Language struct {
	id     int32
	kinds  []string // by symbol
	flags  []byte   // by symbol
	fields []string
}

// Flags of a kind, read by treesitter/wasm/parse.c.
const (
	closed  = 1 // its parts, or its field, are not needed
	named   = 2
	comment = 4
)

// Language numbers of treesitter/wasm/parse.c.
const (
	languagePython = iota
	languageJavaScript
	languageTypeScript
	languageTSX
	languages
)

// Grammars, loaded on first use. JavaScript includes JSX.
var (
	Python     = sync.OnceValue(func() *Language { return loadGrammar(languagePython, pythonWhole, brackets) })
	JavaScript = sync.OnceValue(func() *Language { return loadGrammar(languageJavaScript, scriptWhole, brackets+" , => =") })
	TypeScript = sync.OnceValue(func() *Language { return loadGrammar(languageTypeScript, scriptWhole, brackets+" , => =") })
	TSX        = sync.OnceValue(func() *Language { return loadGrammar(languageTSX, scriptWhole, brackets+" , => =") })
)

// A tree's time and memory are proportional to its nodes, so unneeded ones are omitted. Kinds that are whole have no parts that are
// needed; signs are in no field, according to each grammar's node-types.json.
const (
	pythonWhole = "identifier integer float true false none ellipsis string_start string_content string_end"
	scriptWhole = "identifier property_identifier private_property_identifier type_identifier statement_identifier predefined_type " +
		"shorthand_property_identifier shorthand_property_identifier_pattern string regex number true false null undefined this super"
	brackets = "( ) [ ] { } . :"
)

func loadGrammar(id int32, whole, signs string) *Language {
	m := newMachine()
	wholes, plain := strings.Fields(whole), strings.Fields(signs)
	out := &Language{id: id}
	for kind := range m.Xkind_count(id) {
		name := m.text(m.Xkind_name(id, kind))
		out.kinds = append(out.kinds, name)
		out.flags = append(out.flags, flagsOfKind(name, m.Xkind_named(id, kind) != 0, wholes, plain))
	}
	for field := range m.Xfield_count(id) + 1 { // 0 is no field
		out.fields = append(out.fields, m.text(m.Xfield_name(id, field)))
	}
	idle.Put(m)
	return out
}

func flagsOfKind(name string, isNamed bool, wholes, signs []string) byte {
	switch {
	case !isNamed && slices.Contains(signs, name):
		return closed
	case !isNamed:
		return 0
	case name == "comment":
		return named | comment
	case slices.Contains(wholes, name):
		return named | closed
	}
	return named
}
