package classify

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/rawjson"
)

// workdirs name the place where something runs.
var workdirs = map[string]bool{"cwd": true, "workdir": true, "workingdir": true, "workingdirectory": true, "basedir": true}

// Words of a parameter's name that tell whether its file is read or written.
var (
	outputs   = map[string]bool{"output": true, "out": true, "save": true, "dest": true, "destination": true, "export": true, "download": true, "downloads": true, "target": true, "result": true, "write": true}
	inputs    = map[string]bool{"input": true, "source": true, "src": true, "upload": true, "read": true, "from": true, "load": true, "attachment": true, "attachments": true, "image": true, "archive": true}
	readables = map[string]bool{"config": true, "configuration": true, "cert": true, "certs": true, "certificate": true, "crt": true, "ca": true, "cas": true, "pem": true, "policy": true, "credentials": true, "env": true, "template": true, "manifest": true, "script": true, "image": true, "key": true}
	// savings are words that nobody gives to what stays in a remote service.
	savings = map[string]bool{"save": true, "output": true, "download": true, "downloads": true}
)

// made and placeNames begin and end the names of results that say where a file was put:
// output_path, savedFile, generated_file_path.
var (
	made       = map[string]bool{"saved": true, "written": true, "created": true, "generated": true, "exported": true, "downloaded": true, "archive": true, "destination": true, "dest": true}
	placeNames = map[string]bool{"path": true, "paths": true, "file": true, "files": true, "filename": true, "filenames": true, "filepath": true, "dir": true, "directory": true, "location": true}
)

// noFiles are things that tools start or set by a path without touching a file.
var (
	sendActs = lex.set("send")
	makeActs = lex.set("write", "generate", "convert", "docact", "download", "capture")
	noFiles  = lex.set("nofile", "tunnel", "msg", "container")
	fileLike = lex.set("file", "fileweak", "image", "memstore")
)

// A pathUse is what the name and the description of a path parameter tell of its use.
type pathUse struct {
	out, in   bool // it is written, or read
	saved     bool // by its name, a result goes there
	here      bool // it says that it means this machine
	plain     bool // it names a sort of file that is there to be read: config, cert
	near, far bool // its name says local, or remote
	cloud     bool // it says that it leads into a bucket or another place elsewhere
}

func (w *worker) pathUse(q *parameter) (u pathUse) {
	w.words = paramName(q.name, w.words[:0])
	for _, s := range w.words {
		u.saved = u.saved || savings[s]
		u.out, u.in = u.out || outputs[s] && (s != "target" || w.nameAct.meets(makeActs) || w.sourced()), u.in || inputs[s]
		u.plain = u.plain || readables[s]
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
		u.in = u.in || k.set.meets(fromWords) && strings.TrimRight(s[min(int(k.end), len(s)):], ". ") == "" // to create resources from
		u.cloud = u.cloud || k.set.meets(cloudPlaces)
	}
	return u
}

// sourced reports whether a parameter is called a source, so that a target is where it goes;
// the target of a test or an analysis is what it is about.
func (w *worker) sourced() bool {
	for i := range w.params {
		if begins(w.params[i].name, "source", "src", "from") {
			return true
		}
	}
	return false
}

// begins reports whether a name begins with one of these words, in capitals or not. It looks
// at no more of the name, which may be of any length.
func begins(name string, words ...string) bool {
	for _, w := range words {
		if len(name) >= len(w) && strings.EqualFold(name[:len(w)], w) {
			return true
		}
	}
	return false
}

// saves reports whether another path parameter is called an output.
func (w *worker) saves(q *parameter) bool {
	for i := range w.params {
		p := &w.params[i]
		if p != q && p.depth == 0 && p.role.role == capability.Path && begins(p.name, "output", "save", "dest") {
			return true
		}
	}
	return false
}

// path lets a path parameter speak for reading or writing files.
func (w *worker) path(q *parameter, p *profile, give *claim) {
	u := w.pathUse(q)
	if w.prose == "" {
		// who does not say what the tool does is believed less
	} else if u.here && q.role.name >= 2 && (p.is&remote == 0 || u.in != u.out) || q.role.name >= 3 && q.role.desc >= 2 && u.in != u.out {
		give.detailed = true
	}
	switch {
	case workdirs[strings.Join(w.words, "")], w.nameSet.with(w.headSet).meets(cwdWords) && !w.own(tFSRead) && !w.own(tFSWrite):
		return // where a program starts, not what the tool reads
	case w.nameSet.meets(cookieWords), p.is&secrets != 0 && !u.here && !u.saved && !strings.Contains(strings.ToLower(q.name), "file"):
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
	give.backed = w.is&git == 0 && (q.depth == 0 || w.params[0].wrapper) && q.role.confidence() == capability.High
	switch {
	case w.elsewhere() && !u.out: // what is made is no file: the path is what it is made with
		give.backed = false
		if u.in || u.plain {
			give.to(tFSRead, 2)
		} else {
			give.to(tFSRead, 1)
		}
	case w.choice.meets(readActs) && w.choice.meets(changeActs) && !u.in && !u.out && p.is&remote == 0:
		give.to(tFSRead, 2)
		give.to(tFSWrite, 2)
	case !u.out && !u.in && !strings.HasSuffix(strings.ToLower(q.name), "name") && w.saves(q): // the result goes elsewhere
		give.to(tFSRead, 2)
	case w.nameAct.meets(docActs) && !u.in && p.is&remote == 0:
		give.to(tFSWrite, 2)
		give.to(tFSRead, 2)
		w.add(signal{tag: tFSWrite, source: byName, weight: 1, value: w.name, kind: "name_token"}) // what else is rotated or cropped
	case u.far && w.nameAct.meets(downloadActs), u.near && w.nameAct.meets(uploadActs):
		give.to(tFSRead, 2)
	case w.nameAct.meets(downloadActs) && !u.in, u.far && w.nameAct.meets(uploadActs):
		give.to(tFSWrite, 2)
	case p.is&remote != 0 && !u.out:
		give.to(tFSRead, 2)
	case u.out && !u.in:
		give.to(tFSWrite, 2)
	case u.in && !u.out && !w.nameAct.meets(destroyActs), p.is&browser != 0 && !u.out && !u.in:
		give.to(tFSRead, 2)
		if w.own(tFSWrite) && (w.nameAct.meets(changeActs) || w.nameAct.empty() && changes) {
			give.to(tFSWrite, 2)
		}
	case w.own(tExec) && !w.own(tFSRead) && !w.own(tFSWrite):
		give.to(tFSRead, 1)
	case changes && !w.nameAct.meets(readActs) && !(w.nameAct.empty() && reads):
		give.to(tFSWrite, 2)
		if w.nameAct.meets(editActs) { // what is edited is read
			give.to(tFSRead, 2)
		}
	case reads:
		give.to(tFSRead, 2)
		if changes && w.nameAct.meets(changeOnly) {
			give.to(tFSWrite, 2)
		}
	default:
		give.to(tFSRead, 2)
	}
}

// back lets the act of the name stand behind a path that is plainly one: the parameter says
// what it is done to, the name says what is done.
func (w *worker) back(tag uint8) {
	acts := readActs
	if tag == tFSWrite {
		acts = changeActs
	}
	if w.nameAct.meets(acts) || tag == tFSRead && w.nameAct.meets(editActs) {
		w.add(signal{tag: tag, source: byName, weight: 1, value: w.name, kind: "name_token"})
	}
}

// elsewhere reports whether the tool starts, sets or makes something that is no file: a
// session, a breakpoint, a tunnel, a message.
func (w *worker) elsewhere() bool {
	subject := w.nameSet
	if w.nameAct.empty() {
		subject = subject.with(w.headSet)
	}
	return subject.meets(noFiles) && !subject.meets(fileLike) && !w.own(tFSWrite)
}

// pathOfService reads a path in the client of a remote service: most lead into a repository
// or a bucket, a few to this machine without saying so.
func (w *worker) pathOfService(q *parameter, u pathUse, give *claim) {
	if u.saved {
		give.to(tFSWrite, 2)
	}
	if (w.acts(uploadActs) || w.does(sendActs, fileObjects) && q.role.confidence() == capability.High) && !u.cloud && !w.carries(q) && strings.Contains(strings.ToLower(q.name), "file") {
		give.to(tFSRead, 2)
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

// returned reads the schema of the result: who returns the path of an output, and was not
// given it, has written a file.
func (w *worker) returned(schema rawjson.Value, p *profile) {
	if p.is&(remote|browser|db) != 0 {
		return
	}
	left := maxParameters
	for m := range schema.Get("properties").Members() {
		if left--; left < 0 {
			return
		}
		w.words = paramName(m.Key.Text(), w.words[:0])
		if n := len(w.words); n < 2 || !savings[w.words[0]] && !made[w.words[0]] || !placeNames[w.words[n-1]] {
			continue
		}
		w.add(signal{tag: tFSWrite, source: bySchemaSource, weight: 2, value: m.Key, kind: "returns", text: m.Key.Text()})
		if w.nameSet.meets(makeActs) {
			w.add(signal{tag: tFSWrite, source: byName, weight: 1, value: w.name, kind: "name_token"})
		}
		return
	}
}

// pathless doubts that a tool that takes no path touches files: documents live in memory and
// in services too, and a JSON file from an address is none of this machine.
func (w *worker) pathless(p *profile) {
	address, brought := false, false
	for i := range w.params {
		switch w.params[i].role.role {
		case capability.Path:
			return
		case capability.URL:
			address = true
		case capability.Content:
			brought = brought || w.params[i].kind == stringKind
		}
	}
	if brought && !w.acts(changeActs) && !w.does(anyAct, fileObjects) {
		w.against[tFSRead]-- // what the caller brings along is not read from a file
	}
	if address && p.is&browser == 0 && w.score[tFSRead][byParameter] == 0 {
		w.against[tFSRead] -= 3
	}
	if len(w.params) > 0 && !w.does(anyAct, fileObjects) && w.score[tFSWrite][byParameter] == 0 && p.is&store == 0 {
		w.against[tFSWrite]--
	}
}
