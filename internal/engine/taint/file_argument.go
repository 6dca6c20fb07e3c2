package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// fileArguments returns which arguments of a program are files, in order, as far as each place in the list is known.
func fileArguments(prog string, args []*value) (files []*value) {
	use := callgraph.ProgramOf(prog)
	before, position, ended := "", 0, false
	for _, a := range args {
		word := a.fixed
		switch {
		case !ended && isFileOption(use, prog, before):
			files = append(files, a)
		case !ended && (use.Valued[before] || use.Valued == nil && use.TakesValue(before)):
		case !ended && word == "--":
			ended = true
		case !ended && strings.HasPrefix(word, "-"):
		case !ended && startsWithOption(use, a):
			files = append(files, a)
		case use.Names:
			if position++; position > use.Behind && (use.Most == 0 || position <= use.Behind+use.Most) {
				files = append(files, a)
			}
		}
		before = word
	}
	return files
}

// isFileOption reports whether the value of an option is a file, also of one among others of one letter: tar -xzf, or xzf in front.
func isFileOption(u *callgraph.Program, prog, word string) bool {
	if u.Files[word] {
		return true
	}
	short := strings.TrimPrefix(word, "-")
	return prog == "tar" && u.Files["-f"] && len(short) > 1 && len(short) < 6 && strings.HasSuffix(short, "f") && strings.Trim(short, "xctvzjJapPkf") == ""
}

// startsWithOption reports whether a value stands behind an option and "=" in one argument, as in --git-dir=….
func startsWithOption(u *callgraph.Program, a *value) bool {
	return slices.ContainsFunc(a.marks, func(m mark) bool {
		option, _, ok := strings.Cut(m.head, "=")
		return ok && u.Files[option]
	})
}

// fileSinks are the files that a program is given by its arguments. Where they are a list that the caller of the function made, only that
// caller knows which.
func (r *reader) fileSinks(c call, name, prog string, args []*value, listed bool) {
	if use := callgraph.ProgramOf(prog); !use.Names && use.Files == nil {
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
