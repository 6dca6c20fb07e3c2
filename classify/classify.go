// Package classify labels what the tools of MCP servers can do and what their parameters are, from
// their definitions alone. Its vocabulary is data: see lexicon, rules.txt, roles.txt and git.txt.
// It does no I/O, and the same definitions give the same labels.
package classify

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"gauntlet/capability"
	"gauntlet/catalog"
)

// Catalog classifies every tool of every server, in the order of the catalog.
func Catalog(c *catalog.Catalog) []capability.Server {
	out := make([]capability.Server, len(c.Servers))
	for i, s := range c.Servers {
		out[i] = Server(s)
	}
	return out
}

// Server classifies every tool of one server and aggregates the labels.
func Server(s *catalog.Server) capability.Server {
	return Of(s).Server()
}

// A Classifier classifies the tools of one server, knowing what kind of server it is.
type Classifier struct {
	server  *catalog.Server
	profile *profile
	lens    *Lens
}

// Of reads what a server says about itself and a sample of its tools.
func Of(s *catalog.Server) *Classifier { return new(Lens).of(s) }

// Server classifies every tool and aggregates the labels.
func (c *Classifier) Server() capability.Server {
	out := capability.Server{Name: c.server.Name, VocabularyVersion: capability.VocabularyVersion, Tools: make([]capability.Tool, len(c.server.Tools()))}
	c.Each(func(i int, t *Classified) { out.Tools[i] = t.Labels() })
	aggregate(&out)
	return out
}

// A Classified is one tool whose labels are decided but not yet written out.
type Classified struct {
	w     *toolReader
	index int
	name  string
	flow  capability.Flow
	// Failed says why the tool could not be classified; it has no labels then.
	Failed string
}

// Confidence returns the confidence of a label, "" if the tool does not have it.
func (j *Classified) Confidence(tag capability.Tag) capability.Confidence {
	if j.Failed != "" {
		return ""
	}
	return j.w.tagConfidence(tagIndex(tag))
}

// Unread says what of the definition a limit kept from being read, "" if nothing. Labels and roles may be missing then.
func (j *Classified) Unread() string {
	if j.Failed != "" {
		return ""
	}
	return j.w.unread()
}

// Flow returns the tool's part in data flows.
func (j *Classified) Flow() capability.Flow {
	return j.flow
}

// Labels returns the labels with their evidence.
func (j *Classified) Labels() capability.Tool {
	if j.Failed != "" {
		t := newTool(j.index)
		t.Name, t.Warnings = j.name, append(t.Warnings, "failed: "+j.Failed)
		return t
	}
	t := j.w.buildTool(j.index)
	t.Flow = j.Flow()
	return t
}

// Tool classifies the tool at a place in the server's list.
func (c *Classifier) Tool(index int) capability.Tool {
	return c.classifyTool(newToolReader(c.lens), index).Labels()
}

// classifyTool reads and judges one tool. One that breaks that does not break the others.
func (c *Classifier) classifyTool(w *toolReader, index int) (j *Classified) {
	defer func() {
		if e := recover(); e != nil {
			*w = *newToolReader(c.lens) // whatever state it was left in
			j = &Classified{index: index, name: c.server.Tools()[index].Name(), Failed: fmt.Sprint(e)}
		}
	}()
	w.is, w.index, w.reports = c.profile.is, index, true
	w.readTool(c.server, &c.server.Tools()[index], c.profile.isToolName)
	p := c.profile.forTool(w)
	w.reportAs("")
	w.observeTool()
	w.unjudged = w.sumTool(p)
	w.scoreTags(p)
	w.weigh(p)
	w.reports, w.seen.told = false, nil // what is observed again is seen already
	if plain := c.profile.withoutName; plain != nil {
		w.scoreNameless(plain.forTool(w))
	}
	j = &Classified{w: w, index: index}
	if w.hasMediumLabel() || w.readsMail(false) {
		j.flow = w.dataFlow(p)
		j.flow.Elsewhere = w.runsElsewhere(c.profile)
	}
	return j
}

// chunk is how many tools a goroutine takes at a time.
const chunk = 64

// Each judges every tool of the server and calls show for each, from several goroutines and in any
// order. The argument of show is valid only during the call.
func (c *Classifier) Each(show func(index int, t *Classified)) {
	n := len(c.server.Tools())
	chunks := (n + chunk - 1) / chunk
	var next atomic.Int64
	work := func() {
		w := newToolReader(c.lens)
		for {
			k := int(next.Add(1)) - 1
			if k >= chunks {
				return
			}
			for i := k * chunk; i < min(n, (k+1)*chunk); i++ {
				show(i, c.classifyTool(w, i))
			}
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), chunks) - 1 {
		wg.Go(work) // ends when the chunks are used up; Wait waits for it
	}
	work()
	wg.Wait()
}
