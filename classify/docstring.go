package classify

import (
	"strings"
)

// readDocstring takes what a description says of single parameters, as docstrings of Python do:
//
//	Args:
//	    log_path: Path to the log file
//	    count (int): How many
//
// A description in the schema goes before it.
func (w *toolReader) readDocstring(d string) {
	if len(w.params) == 0 || !strings.Contains(d, ":") {
		return
	}
	for line := range strings.Lines(d) {
		line = strings.TrimLeft(strings.TrimSpace(line), "-*`• ")
		colon := strings.IndexByte(line, ':')
		if colon <= 0 || colon > 80 {
			continue
		}
		name := line[:colon]
		if i := strings.IndexAny(name, " (`*"); i >= 0 {
			name = name[:i]
		}
		for i := range w.params {
			p := &w.params[i]
			if p.name == name && p.doc == "" {
				p.doc = strings.TrimSpace(line[colon+1:])
			}
		}
	}
}
