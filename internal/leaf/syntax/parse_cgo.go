//go:build cgo

package syntax

import (
	"slices"
	"strings"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// Available says whether this build can parse.
const Available = true

type grammar struct{ lang *sitter.Language }

// Grammars, loaded when first asked for. JavaScript reads JSX too.
var (
	Python = sync.OnceValue(func() *Language {
		return loadGrammar(sitter.NewLanguage(python.Language()), pythonWhole, brackets)
	})
	JavaScript = sync.OnceValue(func() *Language {
		return loadGrammar(sitter.NewLanguage(javascript.Language()), scriptWhole, brackets+" , => =")
	})
	TypeScript = sync.OnceValue(func() *Language {
		return loadGrammar(sitter.NewLanguage(typescript.LanguageTypescript()), scriptWhole, brackets+" , => =")
	})
	TSX = sync.OnceValue(func() *Language {
		return loadGrammar(sitter.NewLanguage(typescript.LanguageTSX()), scriptWhole, brackets+" , => =")
	})
)

// Each question to the C tree costs as much as some lines of Go, so those are left out whose answer is
// known. Kinds that are whole have no parts, or none that anybody looks at; signs stand in no field, as
// the node-types.json of each grammar says.
const (
	pythonWhole = "identifier integer float true false none ellipsis string_start string_content string_end"
	scriptWhole = "identifier property_identifier private_property_identifier type_identifier statement_identifier predefined_type " +
		"shorthand_property_identifier shorthand_property_identifier_pattern string regex number true false null undefined this super"
	brackets = "( ) [ ] { } . :"
)

func loadGrammar(l *sitter.Language, whole, signs string) *Language {
	out := &Language{grammar: grammar{l}}
	for id := range l.NodeKindCount() {
		kind, named := l.NodeKindForId(uint16(id)), l.NodeKindIsNamed(uint16(id))
		out.kinds = append(out.kinds, kind)
		out.named = append(out.named, named)
		out.closed = append(out.closed, named && slices.Contains(strings.Fields(whole), kind) || !named && slices.Contains(strings.Fields(signs), kind))
	}
	for id := range l.FieldCount() + 1 { // 0 is no field
		out.fields = append(out.fields, l.FieldNameForId(uint16(id)))
	}
	return out
}

// The parser asks every hundred operations whether to go on. Honest files take about one
// question for 60 bytes; this many are never reached by them and bound the hostile ones.
const (
	questionsBase    = 10_000
	questionsPerByte = 2
	chunk            = 16 << 10 // the parser copies what it reads, and keeps every copy until it is done
	rereads          = 64       // times the text it may read, going back and forth
)

// Parse returns the tree of a text. It stops with an error when the text is too large, when
// the parser takes more steps than a text of that length deserves (which depends on the text
// alone, so the same file gives the same answer on every machine), or when stop says so;
// stop may be nil. Errors of syntax are none: they are marked in the tree.
func Parse(lang *Language, text []byte, stop func() bool) (*Tree, error) {
	tree, err := parseText(lang, text, stop)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return copyTree(lang, tree, text)
}

func parseText(lang *Language, text []byte, stop func() bool) (*sitter.Tree, error) {
	if len(text) > MaxBytes {
		return nil, ErrTooLarge
	}
	p := sitter.NewParser()
	defer p.Close()
	if err := p.SetLanguage(lang.lang); err != nil {
		return nil, err
	}
	// The binding never lets go of the options it is given, so they hold no more than this.
	budget := &budget{questions: questionsBase + questionsPerByte*len(text), bytes: rereads * (len(text) + chunk), stop: stop}
	defer func() { budget.stop = nil }()
	read := func(at int, _ sitter.Point) []byte {
		if at >= len(text) || budget.bytes < 0 {
			return nil
		}
		end := min(at+chunk, len(text))
		budget.bytes -= end - at
		return text[at:end]
	}
	tree := p.ParseWithOptions(read, nil, &sitter.ParseOptions{ProgressCallback: budget.spent})
	if tree == nil || budget.bytes < 0 {
		if tree != nil {
			tree.Close()
		}
		return nil, ErrStopped
	}
	return tree, nil
}

type budget struct {
	questions, bytes int
	stop             func() bool
}

func (b *budget) spent(sitter.ParseState) bool {
	b.questions--
	return b.questions < 0 || b.bytes < 0 || b.questions%256 == 0 && b.stop != nil && b.stop()
}

// copyTree walks the tree once with a cursor: asking a node for its nth child takes time
// proportional to n, which is quadratic on a list of 100,000 siblings.
func copyTree(lang *Language, from *sitter.Tree, text []byte) (*Tree, error) {
	root := from.RootNode()
	t := &Tree{Source: text, lang: lang, Broken: root.HasError(), nodes: make([]node, 0, len(text)/6+16)}
	cur := root.Walk()
	defer cur.Close()
	parents := make([]Node, 0, 64) // kept ancestors of the cursor
	last := make([]Node, 0, 64)    // the newest child of each
	t.addNode(cur, nil, nil)
	parents, last = append(parents, 0), append(last, None)
	if !cur.GotoFirstChild() {
		return t, nil
	}
	for {
		if n, descend := t.addNode(cur, parents, last); descend && cur.GotoFirstChild() {
			if len(parents) >= MaxDepth {
				return nil, ErrTooLarge
			}
			parents, last = append(parents, n), append(last, None)
			continue
		}
		for !cur.GotoNextSibling() {
			parents, last = parents[:len(parents)-1], last[:len(last)-1]
			if len(parents) == 0 || !cur.GotoParent() {
				return t, nil
			}
		}
	}
}

// addNode copies the node under the cursor and links it. descend is false for what has no children of interest.
func (t *Tree) addNode(cur *sitter.TreeCursor, parents, last []Node) (n Node, descend bool) {
	at := cur.Node()
	kind := at.KindId()
	isError := int(kind) >= len(t.lang.kinds) // ERROR has the symbol 65535
	var field uint16
	if !isError && !t.lang.named[kind] {
		if t.lang.closed[kind] {
			return None, false
		}
		if field = cur.FieldId(); field == 0 {
			return None, false
		}
	} else if isError {
		kind = 0 // "end", which is no node of a tree
	} else if t.lang.kinds[kind] == "comment" {
		return None, false
	} else {
		field = cur.FieldId()
	}
	start, end := at.ByteRange()
	n = Node(len(t.nodes))
	t.nodes = append(t.nodes, node{kind: kind, field: field, start: uint32(start), end: uint32(end), child: None, next: None})
	if isError {
		t.bad = append(t.bad, uint32(start))
	}
	if len(parents) > 0 {
		if prev := last[len(last)-1]; prev == None {
			t.nodes[parents[len(parents)-1]].child = n
		} else {
			t.nodes[prev].next = n
		}
		last[len(last)-1] = n
	}
	return n, isError || t.lang.named[kind] && !t.lang.closed[kind]
}
