package classify

import (
	"strings"

	"gauntlet/capability"
)

// workdirs name the place where something runs.
var workdirs = map[string]bool{"cwd": true, "workdir": true, "workingdir": true, "workingdirectory": true, "basedir": true}

// Words of a parameter's name that tell whether its file is read or written.
var (
	outputs = map[string]bool{"output": true, "out": true, "save": true, "dest": true, "destination": true, "export": true, "download": true, "downloads": true, "target": true, "result": true, "write": true}
	inputs  = map[string]bool{"input": true, "source": true, "src": true, "upload": true, "read": true, "from": true, "load": true, "attachment": true, "attachments": true, "image": true}
	// savings are words that nobody gives to what stays in a remote service.
	savings = map[string]bool{"save": true, "output": true, "download": true, "downloads": true}
)

// A pathUse is what the name and the description of a path parameter tell of its use.
type pathUse struct {
	out, in   bool // it is written, or read
	saved     bool // by its name, a result goes there
	here      bool // it says that it means this machine
	near, far bool // its name says local, or remote
	cloud     bool // it says that it leads into a bucket or another place elsewhere
}

func (w *worker) pathUse(q *parameter) (u pathUse) {
	w.words = paramName(q.name, w.words[:0])
	for _, s := range w.words {
		u.saved = u.saved || savings[s]
		u.out, u.in = u.out || outputs[s], u.in || inputs[s]
		u.near, u.far = u.near || s == "local", u.far || s == "remote"
	}
	u.here = u.near
	s := q.doc
	if q.desc.Exists() {
		s = q.desc.Text()
	}
	for _, k := range w.tok.prose(head(s, 300)) {
		if k.place > cueWords {
			break
		}
		u.here = u.here || k.set.meets(localWords)
		u.out = u.out || k.set.meets(saveWords)
		u.in = u.in || k.set.meets(uploadWords)
		u.cloud = u.cloud || k.set.meets(cloudPlaces)
	}
	return u
}

// path lets a path parameter speak for reading or writing files.
func (w *worker) path(q *parameter, p *profile, give func(tag uint8, weight int8)) {
	u := w.pathUse(q)
	if told := give; w.prose == "" {
		// who does not say what the tool does is believed less
	} else if u.here && q.role.name >= 2 && (p.is&remote == 0 || u.in != u.out) || q.role.name >= 3 && q.role.desc >= 2 && u.in != u.out {
		// What the description adds, the place or the direction, is a source beside the name.
		give = func(tag uint8, weight int8) {
			told(tag, weight)
			w.add(signal{tag: tag, source: bySchemaSource, weight: weight, value: q.key, kind: "param", text: q.name})
		}
	}
	switch {
	case workdirs[strings.Join(w.words, "")], w.nameSet.with(w.headSet).meets(cwdWords) && !w.own(tFSRead) && !w.own(tFSWrite):
		return // where a program starts, not what the tool reads
	case w.nameSet.meets(cookieWords), p.is&secrets != 0 && !u.here && !u.saved:
		return // of a cookie, of a vault
	case p.is&db != 0 && !u.here && !u.out:
		return // of a document, not of a file system
	case p.is&remote != 0 && !u.here:
		w.pathOfService(q, u, give)
		return
	}
	if strings.Contains(strings.ToLower(q.name), "local") && p.is&ssh == 0 && w.nameAct.meets(uploadActs) {
		w.against[tFSWrite] -= 2 // what is uploaded is read here and written elsewhere
	}
	reads, changes := w.acts(readActs), w.acts(changeActs)
	switch {
	case w.nameAct.meets(docActs) && !u.in && p.is&remote == 0:
		give(tFSWrite, 2)
		give(tFSRead, 2)
		w.add(signal{tag: tFSWrite, source: byName, weight: 1, value: w.name, kind: "name_token"}) // what else is rotated or cropped
	case u.far && w.nameAct.meets(downloadActs), u.near && w.nameAct.meets(uploadActs):
		give(tFSRead, 2)
	case w.nameAct.meets(downloadActs) && !u.in, u.far && w.nameAct.meets(uploadActs):
		give(tFSWrite, 2)
	case p.is&remote != 0 && !u.out:
		give(tFSRead, 2)
	case u.out && !u.in:
		give(tFSWrite, 2)
	case u.in && !u.out && !changes, p.is&browser != 0 && !u.out && !u.in:
		give(tFSRead, 2)
	case w.own(tExec) && !w.own(tFSRead) && !w.own(tFSWrite):
		give(tFSRead, 1)
	case changes && !w.nameAct.meets(readActs) && !(w.nameAct.empty() && reads):
		give(tFSWrite, 2)
		if w.nameAct.meets(editActs) { // what is edited is read
			give(tFSRead, 2)
		}
	case reads:
		give(tFSRead, 2)
		if changes && w.nameAct.meets(changeOnly) {
			give(tFSWrite, 2)
		}
	default:
		give(tFSRead, 2)
	}
}

// pathOfService reads a path in the client of a remote service: most lead into a repository
// or a bucket, a few to this machine without saying so.
func (w *worker) pathOfService(q *parameter, u pathUse, give func(tag uint8, weight int8)) {
	if u.saved {
		give(tFSWrite, 2)
	}
	if w.acts(uploadActs) && !u.cloud && !w.carries(q) && strings.Contains(strings.ToLower(q.name), "file") {
		give(tFSRead, 2)
	}
}

// carries reports whether what is uploaded is in another parameter, so that q only names it.
func (w *worker) carries(q *parameter) bool {
	for i := range w.params {
		p := &w.params[i]
		if p != q && (p.role.role == capability.Content || p.role.role == capability.URL) {
			return true
		}
	}
	return false
}

// pathless doubts that a tool that takes no path touches files: documents live in memory and
// in services too, and a JSON file from an address is none of this machine.
func (w *worker) pathless(p *profile) {
	address := false
	for i := range w.params {
		switch w.params[i].role.role {
		case capability.Path:
			return
		case capability.URL:
			address = true
		}
	}
	if address && p.is&browser == 0 && w.score[tFSRead][byParameter] == 0 {
		w.against[tFSRead] -= 3
	}
	if len(w.params) > 0 && !w.does(anyAct, fileObjects) && w.score[tFSWrite][byParameter] == 0 && p.is&store == 0 {
		w.against[tFSWrite]--
	}
}
