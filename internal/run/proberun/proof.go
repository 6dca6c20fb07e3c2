package proberun

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// proofOf returns the proof that an attempt worked, or nil.
func (r *run) proofOf(a *attempt) *probe.Proof {
	g, payload := r.testbed, &a.payload
	g.look()
	method, _ := a.target.tool.request("{}")
	found := func(k probe.Kind, format string, args ...any) *probe.Proof {
		return &probe.Proof{
			Kind: k, Observed: fmt.Sprintf(format, args...), Variant: payload.Variant, Payload: payload.Text, Method: method,
			Arguments: a.answer.Sent, Answer: Excerpt(a.answer.Text, payload.Text),
		}
	}
	for _, kind := range payload.Expect {
		switch kind {
		case probe.File:
			if file, ok := r.createdFile(a); ok {
				return found(kind, "the file %s was created", file)
			}
		case probe.Content:
			if content := g.content[payload.Leads]; holdsStart(a.answer.Text, payload.Text, content) {
				return found(kind, "the answer holds the random content of %s", leadsTo[payload.Leads])
			}
		case probe.Product:
			if m := &a.mark; HoldsNumber(a.answer.Text, payload.Text, m.result()) {
				if m.C != 0 {
					return found(kind, "the answer holds %d, the value of %s", m.result(), m.expression())
				}
				return found(kind, "the answer holds %d, the product of %d and %d", m.result(), m.A, m.B)
			}
		case probe.Program:
			if c := g.calledWith(a.since, "--gauntlet-"+a.mark.Token, "-oProxyCommand=touch "+a.mark.Touch, "--output="+a.mark.Touch, "--upload-pack=touch "+a.mark.Touch); c != nil {
				p := found(kind, "%s was called with an option that the value added: %q", c.Name, c.Args)
				p.Program = c.Name
				return p
			}
		case probe.Callback:
			if p := r.callbackOf(a); p != "" {
				return found(kind, "%s", p)
			}
		}
	}
	return nil
}

// leadsTo describes planted content for a reader.
var leadsTo = map[string]string{
	"outside": "a file outside of the project folder", "sibling": "a file in a folder beside the project folder", "symlink": "a file behind a symbolic link that leads out of the project folder",
	"service": "a service on the loopback address", "metadata": "the cloud's metadata service", "page": "a comment in the page that speaks to the model",
}

// holdsStart reports whether an answer contains planted content or its first ten characters, the part that JSON parsers' errors
// quote. Ten letters without a digit are too few to be known in every encoding: the whole is looked for, too.
func holdsStart(text, payload, content string) bool {
	return content != "" && (Holds(text, payload, content[:10]) || Holds(text, payload, content))
}

// createdFile returns the file that an attempt should have created, and whether it exists.
func (r *run) createdFile(a *attempt) (string, bool) {
	files := []string{a.mark.Touch}
	if a.target.Class == probe.PathTraversal {
		files = append(files, a.mark.Touch+".json")
	}
	for _, f := range files {
		if r.testbed.exists(f) {
			return f, true
		}
	}
	return "", false
}

// callbackOf returns which planted service an attempt made the server request, or "".
func (r *run) callbackOf(a *attempt) string {
	if a.payload.Leads == "header" {
		if name := "X-Gauntlet-" + a.mark.Token; r.testbed.hasHeader(name, a.since) {
			return "a request or a mail carried the header " + name + " that the value added"
		}
		return ""
	}
	c := r.testbed.requested(a.mark.Token, a.payload.Leads != "parent", a.since)
	switch {
	case c == nil:
		return ""
	case a.payload.Leads == "parent":
		return r.climbed(a, c)
	case !strings.HasPrefix(pathOf(c.URL), "/"+a.mark.Token): // the server requests this service anyway, with the value below some path
		return ""
	}
	where := "the loopback address"
	if strings.Contains(c.URL, privateService.String()) {
		where = "a private address"
	}
	return fmt.Sprintf("a service on %s was asked: %s %s", where, c.Method, c.URL)
}

// climbed compares a request's path with that for an ordinary value: a value with ../ must not reach the parent folder.
func (r *run) climbed(a *attempt, c *sighting) string {
	ordinary := r.ordinaryRequest(a.target)
	if ordinary == "" || strings.Contains(c.URL, "..") || strings.Contains(strings.ToLower(c.URL), "%2e%2e") || strings.Contains(strings.ToLower(c.URL), "..%2f") {
		return ""
	}
	before, _, ok := strings.Cut(pathOf(c.URL), a.mark.Token)
	if !ok || before == "" || !strings.HasPrefix(ordinary, before) || ordinary == before {
		return ""
	}
	// A folder named by another argument is the caller's choice anyway.
	if name := strings.Trim(ordinary[len(before):], "/"); name == "" || strings.Contains(a.answer.Sent, rawjson.Quote(name)) {
		return ""
	}
	return fmt.Sprintf("the request went to %s instead of below %s", pathOf(c.URL), ordinary)
}

func pathOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		at := strings.IndexByte(rest, '/')
		if at < 0 {
			return "/"
		}
		url = rest[at:]
	}
	p, _, _ := strings.Cut(url, "?")
	return p
}

// ordinaryRequest returns the folder of the first request that an ordinary value caused.
func (r *run) ordinaryRequest(t *target) string {
	for key, o := range t.tool.ordinary {
		if !strings.HasPrefix(key, t.Parameter.Path+"\x00") {
			continue
		}
		for _, s := range r.testbed.since(0) {
			if folder, _, ok := strings.Cut(pathOf(s.URL), o.Value); ok && folder != "" {
				return folder
			}
		}
	}
	return ""
}
