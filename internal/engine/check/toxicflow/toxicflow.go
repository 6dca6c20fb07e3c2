// Package toxicflow holds the checks of what tools can do together: SEC-033 to SEC-035 for one server and for all that an
// agent would see, and MCP-S-005 for one server. They use package classify's labels of definitions; no tool is called.
package toxicflow

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()

// A tool is what is kept of a tool: enough to pair it, little enough for a million.
type tool struct {
	server *classifiedServer
	index  int
	tags   [2]bits // at high; at high or medium
	flow   capability.Flow
}

// matters reports whether a tool has a label, or brings in strangers' text without one, like a reader of mail in a local folder.
func (t *tool) matters() bool { return t.tags[atMedium] != 0 || t.flow.Untrusted != "" }

// bits is a set of tags, by index in capability.Tags.
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

// A classifiedServer is a server and the labels of its tools.
type classifiedServer struct {
	*catalog.Server
	classifier *classify.Classifier
	tools      []tool // those that matter, in list order
	failed     []failure
	unread     []failure // tools that a limit kept from being read completely
}

// A failure is a tool that could not be classified, or not completely, and why.
type failure struct {
	index int
	why   string
}

type key struct{}

// classifyServers classifies the servers of the catalog, once per run.
func classifyServers(p *check.Pass) []*classifiedServer {
	return p.Shared(key{}, func() any {
		out := make([]*classifiedServer, len(p.Catalog.Servers))
		var next atomic.Int64
		var wg sync.WaitGroup
		for range min(runtime.GOMAXPROCS(0), len(out)) {
			wg.Go(func() { // ends when no servers are left; Wait waits for it
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

func classifyServer(s *catalog.Server) *classifiedServer {
	j := &classifiedServer{Server: s, classifier: classify.Of(s)}
	// Most tools are dropped: a catalog may have hundreds of thousands.
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

func countLooked(p *check.Pass, all []*classifiedServer) {
	for _, s := range all {
		p.Looked(len(s.Tools()))
	}
}

func (t *tool) name() string { return t.server.Tools()[t.index].Label() }

// at is the place of the tool: its name, if it has one.
func (t *tool) at(p *check.Pass) check.Place {
	var tree rawjson.Tree
	it := &t.server.Tools()[t.index]
	return p.At(t.server.Server, it, it.Parse(t.server.Server, &tree).Get("name"))
}

// maxRelated limits the tools that a finding refers to; the rest are counted.
const maxRelated = 10

func relatedPlaces(p *check.Pass, tools []*tool) (out []check.Place) {
	for _, t := range tools[:min(len(tools), maxRelated)] {
		out = append(out, t.at(p))
	}
	return out
}

// listNames lists the first few tools by name.
func listNames(tools []*tool) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.name())
	}
	return excerpt.List(names, 4)
}

func (j *classifiedServer) toolsWhere(is func(*tool) bool) (out []*tool) {
	for i := range j.tools {
		if is(&j.tools[i]) {
			out = append(out, &j.tools[i])
		}
	}
	return out
}
