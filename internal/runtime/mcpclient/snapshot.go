package mcpclient

import (
	"bytes"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A Snapshot is what a server says about itself. Its texts are parts of the messages as received.
type Snapshot struct {
	Era      Era    // Legacy or Modern
	Revision string // the negotiated protocol revision
	Init     string // the result of initialize or server/discover
	// InitReadings holds Init and the other readings some client takes for it; empty if there are none.
	InitReadings []string
	// Ambiguous names members that clients read differently, one per line.
	Ambiguous []string
	Lists     [4]List // in the order of catalog.Kinds
	Hints     []Hint  // for caches, in order of arrival
	Errors    []Gap   // in order of occurrence; a method may have several
	Noise     wire.Noise
}

// A Hint is the cache hint in an answer of a stateless server. Pages of one list share one if they agree.
type Hint struct {
	Method     string
	TTL, Scope string // the raw values of ttlMs and cacheScope, "" if absent
}

// A List is one of a server's lists. Present distinguishes an empty list from one not offered.
type List struct {
	Present bool
	Items   []string // each definition as received
}

// A Gap is something requested and not fully read. Absent says that the server answered that it has no such list, so nothing is
// unread.
type Gap struct {
	Method  string
	Message string
	Absent  bool
}

// Bytes returns the snapshot as a JSON object that catalog.Parse reads. Everything the server said is unchanged, one definition
// per line: server, protocolVersion, capabilities, instructions, tools, prompts, resources, resourceTemplates. What it did not say
// is absent; an empty list is []. In the stateless era protocolVersion is the version the lists were requested in, and
// supportedVersions is added. Then come, if there are any, cache hints in _meta, capture_errors, and the first lines of
// stdout_noise with their count.
func (s *Snapshot) Bytes() []byte {
	b := &snapshotWriter{}
	b.w.WriteByte('{')
	s.writeServer(b)
	for i, l := range s.Lists {
		if l.Present || len(l.Items) > 0 {
			b.writeList(mcp.Lists[i].Member, l.Items)
		}
	}
	s.writeHints(b)
	s.writeErrors(b)
	if s.Noise.Count > 0 {
		b.writeTexts("stdout_noise", s.Noise.Lines)
		b.writeName("stdout_noise_count")
		b.w.WriteString(strconv.Itoa(s.Noise.Count))
	}
	b.w.WriteString("\n}\n")
	return b.w.Bytes()
}

// writeServer writes what the server says about itself outside its lists.
func (s *Snapshot) writeServer(b *snapshotWriter) {
	inits := s.InitReadings
	if len(inits) == 0 {
		inits = []string{s.Init}
	}
	// Repeated members and spellings are kept: clients differ in which they use.
	copyAll := func(name, from string, objects []string) {
		for _, object := range objects {
			for _, r := range rawjson.Readings(object, from) {
				spelled := name
				if r.Name != from {
					spelled = r.Name
				}
				b.writeName(spelled)
				b.w.WriteString(r.Raw)
			}
		}
	}
	if s.Era == Modern {
		for _, init := range inits {
			for _, meta := range rawjson.Readings(init, "_meta") {
				copyAll("server", mcp.MetaServerInfo, []string{meta.Raw})
			}
		}
		b.writeName("protocolVersion")
		b.w.WriteString(rawjson.Quote(s.Revision))
		copyAll("supportedVersions", "supportedVersions", inits)
	} else {
		copyAll("server", "serverInfo", inits)
		copyAll("protocolVersion", "protocolVersion", inits)
	}
	copyAll("capabilities", "capabilities", inits)
	copyAll("instructions", "instructions", inits)
	if len(s.Ambiguous) > 0 {
		b.writeTexts("ambiguous_members", s.Ambiguous)
	}
}

func (s *Snapshot) writeHints(b *snapshotWriter) {
	if len(s.Hints) == 0 {
		return
	}
	b.writeName("_meta")
	b.w.WriteString("{\"gauntlet/cacheHints\": ")
	for i, h := range s.Hints {
		b.w.WriteString(map[bool]string{true: "{\n", false: ",\n"}[i == 0])
		var members []string
		for _, m := range [][2]string{{"ttlMs", h.TTL}, {"cacheScope", h.Scope}} {
			if m[1] != "" {
				members = append(members, rawjson.Quote(m[0])+": "+m[1])
			}
		}
		b.w.WriteString(rawjson.Quote(h.Method) + ": {" + strings.Join(members, ", ") + "}")
	}
	b.w.WriteString("\n}}")
}

// writeErrors writes the gaps; those of one method are joined, since names are unique there.
func (s *Snapshot) writeErrors(b *snapshotWriter) {
	if len(s.Errors) == 0 {
		return
	}
	messages := map[string]string{}
	unread := map[string]bool{}
	var methods []string
	for _, e := range s.Errors {
		// Readers take "-32601" to mean "has no such list" and go on. A server must not be able to claim that about a list it broke
		// by writing it to stderr or into another error: there the sign becomes U+2212.
		msg := strings.ReplaceAll(e.Message, "-32601", "\u221232601")
		unread[e.Method] = unread[e.Method] || !e.Absent
		if old, ok := messages[e.Method]; ok {
			msg = old + "; " + msg
		} else {
			methods = append(methods, e.Method)
		}
		messages[e.Method] = msg
	}
	b.writeName("capture_errors")
	b.w.WriteByte('{')
	for i, method := range methods {
		if i > 0 {
			b.w.WriteByte(',')
		}
		value := rawjson.Quote(messages[method])
		if !unread[method] {
			// The error unchanged: catalog reads it as an answer, not a gap.
			value = `{"code": -32601, "message": ` + value + `}`
		}
		b.w.WriteString("\n" + rawjson.Quote(method) + ": " + value)
	}
	b.w.WriteString("\n}")
}

// snapshotWriter writes members, one per line.
type snapshotWriter struct {
	w bytes.Buffer
	n int
}

func (b *snapshotWriter) writeName(name string) {
	if b.n++; b.n > 1 {
		b.w.WriteByte(',')
	}
	b.w.WriteString("\n" + rawjson.Quote(name) + ": ")
}

func (b *snapshotWriter) writeList(name string, items []string) {
	b.writeName(name)
	b.w.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			b.w.WriteByte(',')
		}
		b.w.WriteByte('\n')
		b.w.WriteString(item)
	}
	if len(items) > 0 {
		b.w.WriteByte('\n')
	}
	b.w.WriteByte(']')
}

func (b *snapshotWriter) writeTexts(name string, texts []string) {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = rawjson.Quote(text)
	}
	b.writeList(name, quoted)
}
