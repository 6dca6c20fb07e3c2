// Package toxicflow holds the checks of what tools can do together: SEC-033 to SEC-035 over
// one server and over all that one agent would see, and MCP-S-005 over one server. They act
// on what package classify says of definitions; no tool is called.
package toxicflow

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var lane check.Lane

// register adds a check to the lane.
var register = lane.Register

// Checks returns the lane's checks by id.
func Checks() []*check.Check { return lane.Checks() }

// A tool is what the lane keeps of one tool: enough to pair it, little enough for a million.
type tool struct {
	server *classifiedServer
	index  int
	tags   [2]bits // at high, at high or medium
	flow   capability.Flow
}

// matters reports whether a tool has a label, or brings in strangers' text without one, as a reader of mail in a local folder does.
func (t *tool) matters() bool { return t.tags[atMedium] != 0 || t.flow.Untrusted != "" }

// bits is a set of tags, by their place in capability.Tags.
type bits uint8

const (
	atHigh = iota
	atMedium
)

func (b bits) has(tag capability.Tag) bool {
	for i, t := range capability.Tags() {
		if t == tag {
			return b&(1<<i) != 0
		}
	}
	return false
}

// A classifiedServer is one server with what its tools mean.
type classifiedServer struct {
	*catalog.Server
	classifier *classify.Classifier
	tools      []tool // those that mean anything, in the order of the list
	failed     []failure
	unread     []failure // tools of which a limit kept something from being read
}

// A failure is a tool that could not be classified, or not whole, and why.
type failure struct {
	index int
	why   string
}

type key struct{}

// classifyServers classifies the servers of the catalog, once a run.
func classifyServers(p *check.Pass) []*classifiedServer {
	return p.Shared(key{}, func() any {
		out := make([]*classifiedServer, len(p.Catalog.Servers))
		var next atomic.Int64
		var wg sync.WaitGroup
		for range min(runtime.GOMAXPROCS(0), len(out)) {
			wg.Go(func() { // ends when the servers are used up; Wait waits for it
				for i := int(next.Add(1)) - 1; i < len(out); i = int(next.Add(1)) - 1 {
					out[i] = classifyServer(p.Catalog.Servers[i])
				}
			})
		}
		wg.Wait()
		for _, j := range out {
			for _, f := range j.failed {
				it := &j.Tools()[f.index]
				p.Failed(p.At(j.Server, it, rawjson.Value{}), fmt.Sprintf("%s could not be classified: %s", it.Label(), f.why))
			}
			for _, f := range j.unread {
				it := &j.Tools()[f.index]
				p.Unread(p.At(j.Server, it, rawjson.Value{}), fmt.Sprintf("%s was not classified whole: %s", it.Label(), f.why))
			}
		}
		return out
	}).([]*classifiedServer)
}

// classifyServer classifies the tools of one server.
func classifyServer(s *catalog.Server) *classifiedServer {
	j := &classifiedServer{Server: s, classifier: classify.Of(s)}
	// Of most tools nothing is kept: a catalogue may have hundreds of thousands.
	type outcome struct {
		tool
		failed string
		unread string
	}
	all := make([]*outcome, len(s.Tools()))
	tags := capability.Tags()
	j.classifier.Each(func(i int, t *classify.Classified) {
		k := outcome{tool{server: j, index: i}, t.Failed, t.Unread()}
		for n, tag := range tags {
			c := t.Confidence(tag)
			if c == capability.High {
				k.tags[atHigh] |= 1 << n
			}
			if c.AtLeast(capability.Medium) {
				k.tags[atMedium] |= 1 << n
			}
		}
		k.flow = t.Flow()
		if k.matters() || k.failed != "" || k.unread != "" {
			all[i] = &k
		}
	})
	for i, k := range all {
		if k == nil {
			continue
		}
		if k.failed != "" {
			j.failed = append(j.failed, failure{i, k.failed})
		}
		if k.unread != "" {
			j.unread = append(j.unread, failure{i, k.unread})
		}
		if k.matters() {
			j.tools = append(j.tools, k.tool)
		}
	}
	return j
}

// countLooked counts the tools of the servers as looked at.
func countLooked(p *check.Pass, all []*classifiedServer) {
	for _, s := range all {
		p.Looked(len(s.Tools()))
	}
}

// name is what messages call a tool.
func (t *tool) name() string { return t.server.Tools()[t.index].Label() }

// at is where the tool stands: its name, if it has one.
func (t *tool) at(p *check.Pass) check.Place {
	var tree rawjson.Tree
	it := &t.server.Tools()[t.index]
	return p.At(t.server.Server, it, it.Parse(t.server.Server, &tree).Get("name"))
}

// maxRelated is how many tools one finding points to; the rest are counted.
const maxRelated = 10

// relatedPlaces points to the first of the tools.
func relatedPlaces(p *check.Pass, tools []*tool) (out []check.Place) {
	for _, t := range tools[:min(len(tools), maxRelated)] {
		out = append(out, t.at(p))
	}
	return out
}

// listNames lists the first few tools by name.
func listNames(tools []*tool) string {
	const most = 4
	var out []string
	for _, t := range tools[:min(len(tools), most)] {
		out = append(out, t.name())
	}
	s := strings.Join(out, ", ")
	if more := len(tools) - most; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// toolsWhere finds the tools of a server that satisfy is.
func (j *classifiedServer) toolsWhere(is func(*tool) bool) (out []*tool) {
	for i := range j.tools {
		if is(&j.tools[i]) {
			out = append(out, &j.tools[i])
		}
	}
	return out
}
