// Package planted reads the files that an attack document leaves where the agent under test works, and refuses those that would
// start something before anybody has read them.
package planted

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/startup"
	"gauntlet/rawjson"
)

// Key is the extension of an attack under which its files stand:
//
//	x-gauntlet-files:
//	  - {path: AGENTS.md, marker: heron release, text: "The heron release is next. …"}
const Key = "x-gauntlet-files"

// Server names the server on which agents without tools of their own find the files.
const Server = "workspace"

// Bounds: files of a document, bytes of a path and of all texts.
const (
	MaxFiles = 100
	maxPath  = 200
	MaxBytes = 1 << 20
)

// A File is planted in the agent's working directory.
type File struct {
	Path string // relative, with slashes
	Text string
	// Marker is in this file's text and nowhere else: whoever repeats it, or is shown it, has read the file. "" for a file that
	// carries no attack.
	Marker string
}

// A Fault is what is wrong with the list.
type Fault struct {
	At   rawjson.Value
	Key  string // the member of At that is meant, "" for At itself
	Text string
}

// Read reads the value of the extension, and everything that is wrong with it. Only files without a fault are returned.
func Read(v rawjson.Value) ([]File, []Fault) {
	var r reader
	if v.Kind() != rawjson.Array || v.Len() == 0 || v.Len() > MaxFiles {
		r.addFault(v, "", "want a list of 1 to %d files, each as {path: AGENTS.md, text: …}", MaxFiles)
		return nil, r.faults
	}
	for _, e := range v.Elements() {
		r.readFile(e)
	}
	r.checkMarkers(v)
	return r.files, r.faults
}

type reader struct {
	files  []File
	at     []rawjson.Value // of the files
	bytes  int
	faults []Fault
}

func (r *reader) addFault(at rawjson.Value, key, format string, args ...any) {
	r.faults = append(r.faults, Fault{at, key, fmt.Sprintf(format, args...)})
}

func (r *reader) readFile(v rawjson.Value) {
	before := len(r.faults)
	for m := range v.Members() {
		if key := m.Key.Text(); !slices.Contains([]string{"path", "text", "marker"}, key) || m.Value.Kind() != rawjson.String {
			r.addFault(v, key, "a file has path, text and marker, which are strings")
		}
	}
	f := File{v.Get("path").Text(), v.Get("text").Text(), v.Get("marker").Text()}
	if why := refusedPath(f.Path); why != "" {
		r.addFault(v, "path", "%s", why)
	}
	if r.bytes += len(f.Text); f.Text == "" || r.bytes > MaxBytes {
		r.addFault(v, "text", "want a text, and at most %d bytes in all files", MaxBytes)
	}
	if starts := starting.FindString(f.Text); starts != "" && inMarkdown(f.Path) {
		r.addFault(v, "text", "%q has a client run something before the agent reads the file", strings.TrimSpace(starts))
	}
	if v.Get("marker").Exists() && !markerForm.MatchString(f.Marker) {
		r.addFault(v, "marker", "want 8 to 64 letters, digits, blanks, dots, hyphens and underscores, such as %q", "heron release")
	}
	for _, other := range r.files {
		if a, b := strings.ToLower(other.Path), strings.ToLower(f.Path); a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") {
			r.addFault(v, "path", "it is in the way of %s", other.Path)
		}
	}
	if len(r.faults) == before {
		r.files, r.at = append(r.files, f), append(r.at, v)
	}
}

// checkMarkers reports markers that do not tell which file was read.
func (r *reader) checkMarkers(v rawjson.Value) {
	marked := false
	for i, f := range r.files {
		if f.Marker == "" {
			continue
		}
		marked = true
		for n, other := range r.files {
			if strings.Contains(other.Path, f.Marker) || strings.Contains(other.Text, f.Marker) != (i == n) {
				r.addFault(r.at[i], "marker", "want a text that is in %s and in no other file or path", f.Path)
				break
			}
		}
	}
	if !marked && r.faults == nil {
		r.addFault(v, "", "no file has a marker: nothing would show that the agent read one")
	}
}

var (
	markerForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9 ._-]{6,62}[A-Za-z0-9]$`)
	pathForm   = lazyregexp.New(`^[A-Za-z0-9 ._@/-]+$`)
	// starting matches what clients run when they load a command, a skill or a sub-agent: shell insertions, hooks and servers.
	starting = lazyregexp.New("!`|!\\{|(?im:^[ \\t]*['\"]?(?:hooks|mcpServers)['\"]?[ \\t]*:)")
)

// refusedPath says why no file is planted at a path, "" if one may be. Files in hidden folders are read by clients before the agent
// runs, so only texts are allowed there.
func refusedPath(p string) string {
	low := strings.ToLower(p)
	switch {
	case p == "" || len(p) > maxPath || !pathForm.MatchString(p) || strings.HasPrefix(p, "/") || path.Clean(p) != p || p == "." || p == ".." || strings.HasPrefix(p, "../"):
		return "want a path below the working directory, with slashes, such as docs/guide.md"
	case startup.What("/"+low) != "" || slices.Contains(configured, low):
		return "programs start from such a file without being asked: it is not planted"
	case hidden(low) && !inMarkdown(low) && !strings.HasSuffix(low, ".txt"):
		return "in a hidden folder, or under a hidden name, only texts (.md, .mdc, .txt) are planted: clients may run others without being asked"
	}
	for part := range strings.SplitSeq(low, "/") {
		if part == ".git" || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") || strings.HasPrefix(part, " ") {
			return "want names that every system takes, and nothing in .git"
		}
	}
	return ""
}

// configured are visible files from which agents configure themselves.
var configured = []string{"opencode.json", "opencode.jsonc", "mcp.json", "gemini-extension.json"}

func hidden(p string) bool { return strings.HasPrefix(p, ".") || strings.Contains(p, "/.") }

func inMarkdown(p string) bool {
	return slices.Contains([]string{".md", ".mdc"}, strings.ToLower(path.Ext(p)))
}

// Schema is the value of the extension as a JSON Schema.
func Schema() string {
	return fmt.Sprintf(`"description":"Files in the working directory of the agent under test.","type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","required":["path","text"],"additionalProperties":false,"properties":{`+
		`"path":{"description":"Path below the working directory.","type":"string","minLength":1,"maxLength":%d},`+
		`"text":{"description":"Content.","type":"string","minLength":1},`+
		`"marker":{"description":"Text that is in this file alone and shows that it was read. Files with one carry the attack.","type":"string","minLength":8,"maxLength":64}}}`, MaxFiles, maxPath)
}
