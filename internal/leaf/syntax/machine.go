package syntax

import (
	"bytes"

	"gauntlet/internal/leaf/syntax/treesitter"
)

// A machine is an instance of the translated parser with its own memory. It serves one goroutine at a time. Whatever a hostile text
// causes stays within that memory: an access outside it panics, which Parse turns into an error.
type machine struct {
	*treesitter.Module
	host  *host
	flags [languages]int32 // address of a grammar's flags; 0 before first use
	sound bool
}

func newMachine() *machine {
	h := &host{}
	m := &machine{Module: treesitter.New(h, system{}), host: h}
	m.X_initialize()
	return m
}

func (m *machine) memory() []byte { return *m.Xmemory().Slice() }

// copyIn copies bytes into the machine's memory and returns their address.
func (m *machine) copyIn(b []byte) int32 {
	at := m.Xalloc(int32(len(b)) + 1)
	copy(m.memory()[at:], b)
	return at
}

// memoryPerSymbol is the parser's memory per symbol: in nine published bundles, most of them minified, 168 to 248 bytes.
const memoryPerSymbol = 225

// reserve allocates memory for a text in one step. The parser requests it piece by piece, and each time all of its memory would be
// copied. Unused memory is never touched.
func (m *machine) reserve(textBytes, symbols int) {
	memory := m.Xmemory().Slice()
	if want := initialMemory + textBytes + memoryPerSymbol*symbols; cap(*memory) < want {
		larger := make([]byte, len(*memory), want)
		copy(larger, *memory)
		*memory = larger
	}
}

func (m *machine) text(at int32) string {
	b, _, _ := bytes.Cut(m.memory()[at:], []byte{0})
	return string(b)
}

func (m *machine) flagsOf(lang *Language) int32 {
	if m.flags[lang.id] == 0 {
		m.flags[lang.id] = m.copyIn(lang.flags)
	}
	return m.flags[lang.id]
}

// host answers the parser's question whether to stop.
type host struct{ stop func() bool }

// Xstop is called by the parser.
func (h *host) Xstop() int32 {
	if h.stop != nil && h.stop() {
		return 1
	}
	return 0
}

// system is the C library's system interface; the parser needs none of it, and every call is refused.
type system struct{}

const notSupported = 58 // WASI's ENOTSUP

// Xclock_time_get refuses.
func (system) Xclock_time_get(int32, int64, int32) int32 { return notSupported }

// Xfd_close refuses.
func (system) Xfd_close(int32) int32 { return notSupported }

// Xfd_seek refuses.
func (system) Xfd_seek(int32, int64, int32, int32) int32 { return notSupported }

// Xfd_write refuses.
func (system) Xfd_write(int32, int32, int32, int32) int32 { return notSupported }
