package taint

import (
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A fileUse says which arguments of a program are paths of files that it opens or changes.
type fileUse struct {
	// names says that arguments which are no options are files, behind the first ones, which are something else; at most so many, 0 for all.
	names       bool
	behind, max int
	options     map[string]bool // whose values are files
	valued      map[string]bool // options that take a value which is no file; nil where that is not known, so that any may
}

func filesOf(use fileUse, programs string) map[string]fileUse {
	out := map[string]fileUse{}
	for p := range names(programs) {
		out[p] = use
	}
	return out
}

// fileUses are the programs of which it is known, by their manuals. Programs whose arguments may as well be something else are not among
// them: what follows git's subcommands is a revision or lies in the repository, kubectl's -f may be an address.
var fileUses = joinUses(
	filesOf(fileUse{names: true, valued: names("")}, "cat tac nl wc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum xxd hexdump strings rm rmdir cp mv ln shred cmp gzip gunzip zcat bzip2 xz"),
	filesOf(fileUse{names: true, valued: names("-n -c --lines --bytes")}, "head tail"),
	filesOf(fileUse{names: true, valued: names("-I -w -T -L -P -d -t --ignore --max-depth --exclude")}, "ls tree du"),
	filesOf(fileUse{names: true, valued: names("-d -t -m -r")}, "touch mkdir"),
	filesOf(fileUse{names: true, behind: 1, valued: names("")}, "chmod chown chgrp"),
	filesOf(fileUse{names: true, behind: 1}, "grep egrep fgrep rg sed awk jq"),
	filesOf(fileUse{names: true}, "pdftotext pdfinfo pdftoppm exiftool identify ffprobe pandoc convert magick"),
	filesOf(fileUse{names: true, max: 1}, "find sqlite3"),
	filesOf(fileUse{names: true, options: names("-i")}, "ffmpeg"),
	filesOf(fileUse{names: true, max: 1, options: names("-d")}, "unzip"),
	filesOf(fileUse{options: names("-C --git-dir --work-tree")}, "git"),
	filesOf(fileUse{options: names("-C --directory -f --file")}, "tar"),
	filesOf(fileUse{options: names("-o --output -T --upload-file")}, "curl"),
	filesOf(fileUse{options: names("-O --output-document -P --directory-prefix")}, "wget"),
	filesOf(fileUse{options: names("-o --output -P --paths")}, "yt-dlp"),
	filesOf(fileUse{options: names("-in -out")}, "openssl"),
)

func joinUses(all ...map[string]fileUse) map[string]fileUse {
	out := map[string]fileUse{}
	for _, one := range all {
		for p, u := range one {
			out[p] = u
		}
	}
	return out
}

// fileArguments returns which arguments of a program are files, in order, as far as each place in the list is known.
func fileArguments(prog string, args []*value) (files []*value) {
	use, ok := fileUses[prog]
	if !ok {
		return nil
	}
	before, position, ended := "", 0, false
	for _, a := range args {
		word := a.fixed
		switch {
		case !ended && use.isFileOption(prog, before):
			files = append(files, a)
		case !ended && use.takesOther(prog, before):
		case !ended && word == "--":
			ended = true
		case !ended && strings.HasPrefix(word, "-"):
		case !ended && use.startsWithOption(a):
			files = append(files, a)
		case use.names:
			if position++; position > use.behind && (use.max == 0 || position <= use.behind+use.max) {
				files = append(files, a)
			}
		}
		before = word
	}
	return files
}

// isFileOption reports whether the value of an option is a file, also of one among others of one letter: tar -xzf, or xzf in front.
func (u fileUse) isFileOption(prog, word string) bool {
	if u.options[word] {
		return true
	}
	short := strings.TrimPrefix(word, "-")
	return prog == "tar" && u.options["-f"] && len(short) > 1 && len(short) < 6 && strings.HasSuffix(short, "f") && strings.Trim(short, "xctvzjJapPkf") == ""
}

// takesOther reports whether an option takes the next argument for a value that is no file, or may do so.
func (u fileUse) takesOther(prog, option string) bool {
	if u.valued != nil {
		return u.valued[option]
	}
	return takesValue(prog, option)
}

// startsWithOption reports whether a value stands behind an option and "=" in one argument, as in --git-dir=….
func (u fileUse) startsWithOption(a *value) bool {
	for _, m := range a.marks {
		if option, _, ok := strings.Cut(m.head, "="); ok && u.options[option] {
			return true
		}
	}
	return false
}

// fileSinks are the files that a program is given by its arguments. Where they are a list that the caller of the function made, only that
// caller knows which.
func (r *reader) fileSinks(c call, name, prog string, args []*value, listed bool) {
	if _, ok := fileUses[prog]; !ok {
		return
	}
	need, files := fileFront, args
	if listed {
		need = listFront
	} else {
		files = fileArguments(prog, args)
	}
	for _, a := range files {
		marks := a.marks
		if listed {
			marks = a.all()
		}
		for _, m := range marks {
			if _, behind, ok := strings.Cut(m.head, "="); ok && strings.HasPrefix(m.head, "-") {
				m.head = behind
			}
			r.sinkMarksBehind(need, c, sink.PathFlow, name, prog, []mark{m})
		}
	}
}

// filesIn returns what of a list arrives as a file of a program that a helper starts with it.
func filesIn(prog string, list *value, path string, there *value) (files *value, known bool) {
	if path != ".*" && path != "" || list == nil || list.length < 0 {
		return there, false
	}
	var args []*value
	for i := range list.length {
		args = append(args, list.member(itoa(i)))
	}
	files = nothing
	for _, a := range fileArguments(prog, args) {
		files = join(files, a)
	}
	return files, true
}

// isHandedList reports whether the arguments of a program are a list of which nothing is known here.
func (r *reader) isHandedList(c call, argv *ir.Expr, v *value) bool {
	if v.length > 0 {
		return false
	}
	behind := false
	for i, a := range c.expr.Args {
		switch {
		case a.Value == argv:
			behind = true
		case !behind || a.Name != "" || a.Value == nil || a.Value.Kind == ir.Object || a.Value.Kind == ir.Function:
		case c.spread(i) != nil:
			return c.spread(i).length < 0
		case r.a.g.Convention().Language == "typescript": // execFile(program, list, options)
			return c.args[i].length < 0
		}
	}
	return false
}
