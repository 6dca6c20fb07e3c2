package proberun

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/probe"
)

// A Mark identifies one attempt by random values that nothing else produces.
type Mark struct {
	Token string // 12 letters and digits
	Touch string // a file that does not exist, in a folder writable by anybody
	A, B  int64  // their product has at least nine digits
	C     int64  // subtracted from it, where the tool multiplies numbers in any text; else 0
}

// expression returns what a payload has the tool compute.
func (m *Mark) expression() string {
	if m.C == 0 {
		return fmt.Sprintf("%d*%d", m.A, m.B)
	}
	return fmt.Sprintf("%d*%d-%d", m.A, m.B, m.C)
}

// result returns the value of the expression.
func (m *Mark) result() int64 { return m.A*m.B - m.C }

// A Place holds the planted things that payloads lead to. An empty field means that there is none where the server runs.
type Place struct {
	Root      string // the project folder, declared as the server's root
	Outside   string // a file outside of Root with random content
	OutsideJS string // the same, a JSON document
	Sibling   string // a file in a folder whose name begins with Root's name
	Linked    string // a path below Root that leads outside through a symbolic link
	Folder    string // a folder in the start command, with a sibling and a link like Root; "" for none
	WriteDir  string // a folder outside Root, writable by anybody
	Port      int    // of the planted service on the loopback address
	Metadata  string // address of the planted metadata service, including its credentials path
	Private   string // host and port of the planted service in a private network
	Named     string // host and port of a public name that resolves to loopback
	Redirect  string // a public address without a path that redirects to the service
	ToCloud   string // one that redirects to the metadata service
}

// A Payload is one value to try, and what would prove that it worked.
type Payload struct {
	Variant string
	Value   any
	Text    string // Value as text, to remove it from answers
	Expect  []probe.Kind
	// Leads names the planted content the value leads to: "outside", "sibling", "symlink", "service", "metadata"; or "".
	Leads string
	// Whole is a whole statement with the same effect, for a tool that takes statements by design; "" if Value is one. Twin is the
	// control of all payloads.
	Whole string
	// Plant is a file that must exist first; nil for none.
	Plant *Planted
	// Escapes says that the value escapes a restriction on code, which is no tool's purpose.
	Escapes bool
}

// A variant is one form of a class's payloads, a line of payloads.txt. Its texts hold the names of values in braces, as in
// "{seed}; touch {touch} #": see [Place.words]. Where the place lacks one of them there is no payload.
type variant struct {
	name    string
	value   string
	expect  []probe.Kind
	leads   string
	whole   string
	escapes bool
	encode  func(string) string            // of the whole value; nil for none
	plant   func(m *Mark, p *Place) []byte // content of the file that must exist at the value; nil for none
}

// words returns the values of the names in variants.
func (p *Place) words(m *Mark, seed string) map[string]string {
	out := map[string]string{
		"{touch}": m.Touch, "{token}": m.Token, "{expression}": m.expression(), "{root}": p.Root, "{outside}": p.Outside, "{outside.json}": p.OutsideJS,
		"{sibling}": p.Sibling, "{linked}": p.Linked, "{folder}": p.Folder, "{drop}": p.WriteDir, "{metadata}": p.Metadata, "{private}": p.Private, "{named}": p.Named,
		"{redirect}": p.Redirect, "{to-cloud}": p.ToCloud, "{seed}": seed,
		"{relative-link}": strings.TrimPrefix(p.Linked, p.Root+"/"), "{relative}": strings.TrimPrefix(p.Outside, "/"), "{beside}": strings.TrimPrefix(p.Sibling, path.Dir(p.Root)), "{metadata-path}": strings.TrimPrefix(p.Metadata, "http://"+metadataHost),
		"{port}": "", "{folder-name}": "", "{climb}": climb,
	}
	if p.Port != 0 {
		out["{port}"] = strconv.Itoa(p.Port)
	}
	if p.Folder != "" {
		out["{folder-name}"] = path.Base(p.Folder)
	}
	return out
}

// Payloads returns the number of a target's payloads.
func (t *target) Payloads() int { return len(t.variants) }

// Payload returns a target's n-th payload; ok is false if the place lacks what it needs.
func (t *target) Payload(n int, m Mark, p Place, seed string) (made Payload, ok bool) {
	v, ok := &t.variants[n], true
	var pairs []string
	for name, value := range p.words(&m, seed) {
		ok = ok && (value != "" || name == "{seed}" || !strings.Contains(v.value, name))
		pairs = append(pairs, name, value)
	}
	fill := strings.NewReplacer(pairs...)
	made = Payload{Variant: v.name, Expect: v.expect, Leads: v.leads, Whole: fill.Replace(v.whole), Escapes: v.escapes}
	value := fill.Replace(v.value)
	if v.encode != nil {
		value = v.encode(value)
	}
	if v.plant != nil {
		made.Plant = &Planted{value, v.plant(&m, &p)}
	}
	made.set(value)
	return made, ok
}

// set replaces a payload's value.
func (p *Payload) set(value any) {
	p.Value = value
	p.Text, _ = value.(string)
}

const (
	metadataHost = "169.254.169.254"
	climb        = "../../../../../../../../../../../.."
)
