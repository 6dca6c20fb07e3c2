package classify

import "strings"

// isInto reports whether a token is a file that something goes into: "to a PNG file", "into one archive".
func isInto(ks []token, i int) bool {
	if !ks[i].set.meets(fileObjects) {
		return false
	}
	for j := i - 1; j >= 0 && ks[i].place-ks[j].place <= 4 && ks[j].clause == ks[i].clause; j-- {
		switch {
		case ks[j].set.meets(toWords):
			return j > 0 // what goes there stands before
		case ks[j].set.meets(actClasses) && !ks[j].set.meets(objectClasses), ks[j].set.meets(fromWords):
			return false
		}
	}
	return false
}

// returnsPath reports whether a token is the verb of "returns the path", which says that a file was made, where the tool takes none and
// makes something.
func (w *toolReader) returnsPath(ks []token, i int) bool {
	if n := ks[i].end - ks[i].start; n != int32(len("return")) && n != int32(len("returns")) {
		return false
	}
	if verb := w.tokenText(ks[i]); verb != "returns" && verb != "return" || isNegated(ks, i, w.prose) {
		return false
	}
	said := strings.ToLower(truncate(w.prose[min(int(ks[i].end), len(w.prose)):], 40))
	for _, path := range [...]string{" the path", " its path", " the file path", " the output path", " path to", " the saved path", " a path to", " the local path"} {
		if rest, ok := strings.CutPrefix(said, path); ok {
			return !strings.HasPrefix(rest, " of the") && !strings.HasPrefix(rest, "s ")
		}
	}
	return false
}

// scoreReturnedPath takes a path that is returned for a written file, where the name or the first sentence makes or saves something and no
// path is given.
func (w *toolReader) scoreReturnedPath(p *profile) {
	if w.savedAs.end == 0 || p.is&(remote|db) != 0 || !(w.nameAct.meets(makeActs) || w.headSet.meets(makeActs)) || w.nameAct.meets(lookActs) {
		return
	}
	for i := range w.params {
		if q := &w.params[i]; q.role.role == "path" && !w.pathUse(q).out {
			return // it may be the path that was given
		}
	}
	w.addSignal(signal{tag: tFSWrite, source: byDescription, weight: 2, value: w.desc, kind: "desc_phrase", start: w.savedAs.start, end: min(w.savedAs.end+20, int32(len(w.prose)))})
}
