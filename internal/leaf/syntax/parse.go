package syntax

import (
	"encoding/binary"
	"fmt"
	"sync"
)

// The parser asks every hundred operations whether to continue. Of 119 large files in published packages the costliest needed one
// question per 57 bytes. A question takes about 60 microseconds, so two megabytes end within four seconds.
const (
	questionsBase    = 10_000
	bytesPerQuestion = 40
	piece            = 16 << 10 // size of the parser's reads
	rereads          = 64       // how often it may read the text, going back and forth
)

// Results of treesitter/wasm/parse.c.
const (
	parsed      = 1
	tooDeep     = 2
	bytesOfNode = 20
)

// keepMemory is the size up to which a machine is reused; its memory never shrinks.
const keepMemory = 64 << 20

// initialMemory is a machine's initial memory: its grammars' tables and its stack.
const initialMemory = 0x480000

var idle sync.Pool // of *machine: building one copies 4 MB of tables

// Parse returns a text's tree. It fails if the text is too large, if parsing takes more steps than such a text should (which
// depends on the text alone, so that results are the same on every machine), or if stop, which may be nil, returns true. Syntax
// errors are no failure: they are marked in the tree.
func Parse(lang *Language, text []byte, stop func() bool) (*Tree, error) {
	if len(text) > MaxBytes {
		return nil, ErrTooLarge
	}
	symbols := countSymbols(text)
	if isDense(len(text), symbols) {
		return nil, ErrDense
	}
	m, _ := idle.Get().(*machine)
	if m == nil {
		m = newMachine()
	}
	tree, err := m.parse(lang, text, symbols, stop)
	// After a panic a machine's state is unknown, and a large one would keep its memory for good.
	if m.sound && len(m.memory()) <= keepMemory {
		idle.Put(m)
	}
	return tree, err
}

func (m *machine) parse(lang *Language, text []byte, symbols int, stop func() bool) (tree *Tree, err error) {
	m.sound = false
	m.host.stop = stop
	defer func() {
		m.host.stop = nil
		if r := recover(); r != nil {
			tree, err = nil, fmt.Errorf("%w: %v", ErrTooLarge, r)
		}
	}()
	m.reserve(len(text), symbols)
	flags := m.flagsOf(lang)
	at := m.copyIn(text)
	answer := m.Xparse(lang.id, at, int32(len(text)), flags, int32(len(lang.kinds)),
		int64(questionsBase+len(text)/bytesPerQuestion), int64(rereads*(len(text)+piece)), MaxDepth)
	switch answer {
	case parsed:
		tree = m.copyTree(lang, text)
	case tooDeep:
		err = ErrTooLarge
	default:
		err = ErrStopped
	}
	m.Xrelease()
	m.sound = true
	return tree, err
}

// copyTree copies the flattened tree out of the machine's memory.
func (m *machine) copyTree(lang *Language, text []byte) *Tree {
	memory, result := m.memory(), m.Xresult()
	word := func(i int32) uint32 { return binary.LittleEndian.Uint32(memory[result+4*i:]) }
	nodes, errors := memory[word(0):][:word(1)*bytesOfNode], memory[word(2):][:word(3)*4]
	t := &Tree{Source: text, lang: lang, Broken: word(4) != 0, nodes: make([]node, 0, word(1))}
	for ; len(nodes) > 0; nodes = nodes[bytesOfNode:] {
		b := nodes[:bytesOfNode]
		t.nodes = append(t.nodes, node{
			kind: binary.LittleEndian.Uint16(b), field: binary.LittleEndian.Uint16(b[2:]),
			start: binary.LittleEndian.Uint32(b[4:]), end: binary.LittleEndian.Uint32(b[8:]),
			child: Node(binary.LittleEndian.Uint32(b[12:])), next: Node(binary.LittleEndian.Uint32(b[16:])),
		})
	}
	for ; len(errors) > 0; errors = errors[4:] {
		t.bad = append(t.bad, binary.LittleEndian.Uint32(errors))
	}
	return t
}
