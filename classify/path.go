package classify

import (
	"strings"

	"gauntlet/capability"
)

// workdirs name the place where something runs.
var workdirs = map[string]bool{"cwd": true, "workdir": true, "workingdir": true, "workingdirectory": true, "basedir": true}

// roots name the project that a client of a service is used in: it looks up which account or repository is meant there,
// and the tool reads nothing of it.
var roots = map[string]bool{"workspaceroot": true, "workspace": true, "workspacepath": true, "workspacedir": true, "workspacefolder": true, "projectroot": true, "projectdir": true, "projectpath": true,
	"rootdir": true, "rootpath": true, "reporoot": true, "repopath": true, "repositorypath": true, "currentdirectory": true, "currentdir": true}

// Words of a parameter's name that tell whether its file is read or written.
var (
	outputs = map[string]bool{"output": true, "out": true, "save": true, "dest": true, "destination": true, "export": true, "download": true, "downloads": true, "target": true, "result": true, "write": true}
	inputs  = map[string]bool{"input": true, "source": true, "src": true, "upload": true, "read": true, "from": true, "load": true, "attachment": true, "attachments": true, "image": true, "archive": true}
	// savings are words that nobody gives to what stays in a remote service.
	savings = map[string]bool{"save": true, "output": true, "download": true, "downloads": true}
)

// fileNames name the one file that a tool is about, whether it is read or written.
var fileNames = map[string]bool{"file": true, "filename": true, "filepath": true, "path": true}

// noFiles are things that tools start or set by a path without touching a file.
var (
	sendActs = lex.classSet("send")
	makeActs = lex.classSet("write", "generate", "convert", "docact", "download", "capture")
	saveActs = lex.classSet("generate", "convert", "download")
	noFiles  = lex.classSet("nofile", "tunnel", "msg", "container")
	fileLike = lex.classSet("file", "fileweak", "image", "memstore")
)

// A pathUse is what the name and the description of a path parameter tell of its use.
type pathUse struct {
	out, in   bool // it is written, or read
	saved     bool // by its name, a result goes there
	here      bool // it says that it means this machine
	near, far bool // its name says local, or remote
	cloud     bool // it says that it leads into a bucket or another place elsewhere
}

func (w *toolReader) pathUse(q *parameter) pathUse {
	if !q.useRead {
		q.use, q.useRead = w.readPathUse(q), true
	}
	return q.use
}

func (w *toolReader) readPathUse(q *parameter) (u pathUse) {
	for _, s := range q.parts {
		u.saved = u.saved || savings[s]
		u.out, u.in = u.out || outputs[s] && (s != "target" || w.nameAct.meets(makeActs)), u.in || inputs[s]
		u.near, u.far = u.near || s == "local", u.far || s == "remote"
	}
	if w.intoFile && !u.in && !u.out && !u.saved && fileNames[q.whole] && !w.nameAct.meets(readActs) {
		u.out = true // plots to a PNG file
	}
	u.here = u.near
	s := w.saidOf(q)
	for _, k := range w.tok.tokenizeProse(truncate(s, 300)) {
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

// hasPrefixFold reports whether a name begins with one of these words, in capitals or not. It looks
// at no more of the name, which may be of any length.
func hasPrefixFold(name string, words ...string) bool {
	for _, w := range words {
		if len(name) >= len(w) && strings.EqualFold(name[:len(w)], w) {
			return true
		}
	}
	return false
}

// hasOutputBeside reports whether another path parameter is called an output.
func (w *toolReader) hasOutputBeside(q *parameter) bool {
	for i := range w.params {
		p := &w.params[i]
		if p != q && p.depth == 0 && p.role.role == capability.Path && hasPrefixFold(p.name, "output", "save", "dest") {
			return true
		}
	}
	return false
}

// scorePath lets a path parameter speak for reading or writing files.
func (w *toolReader) scorePath(q *parameter, p *profile, give *parameterClaim) {
	u := w.pathUse(q)
	switch {
	case workdirs[q.whole], p.is&remote != 0 && roots[q.whole], w.nameSet.with(w.headSet).meets(cwdWords) && !w.hasOwnEvidence(tFSRead) && !w.hasOwnEvidence(tFSWrite):
		return // where a program starts, not what the tool reads
	case w.nameSet.meets(cookieWords):
		return // of a cookie, of a vault
	case p.is&db != 0 && !u.here && !u.out:
		return // of a document, not of a file system
	case p.is&remote != 0 && !u.here:
		w.scoreServicePath(q, u, give)
		return
	}
	reads, changes := w.hasAct(readActs), w.hasAct(changeActs)
	give.backed = w.is&git == 0 && (q.depth == 0 || w.params[0].wrapper) && q.role.roleConfidence() == capability.High
	switch {
	case w.isAboutNoFile() && !u.out: // what is made is no file: the path is what it is made with
		give.backed = false
		give.support(tFSRead, 1)
	case !u.out && !u.in && !strings.HasSuffix(strings.ToLower(q.name), "name") && w.hasOutputBeside(q): // the result goes elsewhere
		give.support(tFSRead, 2)
	case w.nameAct.meets(docActs) && !u.in && p.is&remote == 0:
		give.support(tFSWrite, 2)
		give.support(tFSRead, 2)
		w.addSignal(signal{tag: tFSWrite, source: byName, weight: 1, value: w.name, kind: "name_token"}) // what else is rotated or cropped
	case u.far && w.nameAct.meets(downloadActs), u.near && w.nameAct.meets(uploadActs):
		give.support(tFSRead, 2)
	case w.nameAct.meets(downloadActs) && !u.in, u.far && w.nameAct.meets(uploadActs):
		give.support(tFSWrite, 2)
	case u.out && !u.in:
		give.support(tFSWrite, 2)
	case u.in && !u.out && !w.nameAct.meets(destroyActs), p.is&browser != 0 && !u.out && !u.in:
		give.support(tFSRead, 2)
	case w.hasOwnEvidence(tExec) && !w.hasOwnEvidence(tFSRead) && !w.hasOwnEvidence(tFSWrite):
		give.support(tFSRead, 1)
	case changes && !w.nameAct.meets(readActs) && !(w.nameAct.empty() && reads):
		give.support(tFSWrite, 2)
		if w.nameAct.meets(editActs) { // what is edited is read
			give.support(tFSRead, 2)
		}
	default:
		give.support(tFSRead, 2)
	}
}

// supportByName lets the act of the name stand behind a path that is plainly one: the parameter says
// what it is done to, the name says what is done. A description that says that local files
// are meant stands behind it too.
func (w *toolReader) supportByName(tag uint8) {
	acts := readActs
	if tag == tFSWrite {
		acts = changeActs
	}
	if w.nameAct.meets(acts) || tag == tFSRead && w.nameAct.meets(editActs) || tag == tFSWrite && w.nameAct.meets(downloadActs) {
		w.addSignal(signal{tag: tag, source: byName, weight: 1, value: w.name, kind: "name_token"})
	}
	if k := w.localMention; k.end > 0 {
		w.addSignal(signal{tag: tag, source: byDescription, weight: 1, value: w.desc, kind: "desc_phrase", start: k.start, end: k.end})
	}
}

// isAboutNoFile reports whether the tool starts, sets or makes something that is no file: a
// session, a breakpoint, a tunnel, a message.
func (w *toolReader) isAboutNoFile() bool {
	subject := w.nameSet
	if w.nameAct.empty() {
		subject = subject.with(w.headSet)
	}
	return subject.meets(noFiles) && !subject.meets(fileLike) && !w.hasOwnEvidence(tFSWrite)
}

// scoreServicePath reads a path in the client of a remote service: most lead into a repository
// or a bucket, a few to this machine without saying so. Nobody saves or downloads to a path of the service; its
// builds have output directories. A file name is what the service calls the file.
func (w *toolReader) scoreServicePath(q *parameter, u pathUse, give *parameterClaim) {
	last := q.parts[max(0, len(q.parts)-1):]
	give.backed = true
	if u.saved && (q.parts[0] != "output" || w.nameAct.meets(saveActs)) || u.out && w.nameAct.meets(downloadActs) && q.role.name >= 2 {
		give.support(tFSWrite, 2)
	}
	if (w.nameAct.meets(uploadActs) || w.hasAction(uploadActs, fileObjects) || w.hasAction(sendActs, fileObjects) && q.role.roleConfidence() == capability.High) &&
		len(last) == 1 && last[0] != "name" && last[0] != "filename" && last[0] != "filenames" && strings.Contains(strings.ToLower(q.name), "file") {
		give.support(tFSRead, 2)
	}
}

// discountPathless doubts that a tool that takes no path touches files: documents live in memory and
// in services too.
func (w *toolReader) discountPathless(p *profile) {
	brought := false
	for i := range w.params {
		switch w.params[i].role.role {
		case capability.Path:
			return
		case capability.Content:
			brought = brought || w.params[i].kind == stringKind
		}
	}
	if brought && !w.hasAct(changeActs) && !w.hasAction(anyAct, fileObjects) {
		w.against[tFSRead]-- // what the caller brings along is not read from a file
	}
	if len(w.params) > 0 && !w.hasAction(anyAct, fileObjects) && w.score[tFSWrite][byParameter] == 0 && p.is&store == 0 {
		w.against[tFSWrite]--
	}
}
