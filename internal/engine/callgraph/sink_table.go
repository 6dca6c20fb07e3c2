package callgraph

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/lazyregexp"
)

// A Table says what calls outside the program do. It is data: one row a line,
//
//	subprocess.run   spawn   argv=0|args shell=shell
//	requests.*       net_egress
//	.read_text       fs_read
//
// The first column is the name of what is called, through whatever alias: the module, the
// members, and "()" behind what was called or constructed on the way. One * stands for any
// part of one member, ** for anything; "x.**" is x itself and all that comes of it. A name that begins with a dot is a method of
// something that is not known. The most specific row wins: one without *, then the one with
// the longest text before its first *.
//
// The second column is one tag or several joined by +, with a ? behind them when such a call
// says little by itself (whether a file exists), or one of
//
//	pure    computes; nothing outside is touched. A row with * that says so was not read for each member that it stands for: where other
//	        rows of the same beginning have tags, a call to such a member may have them, too
//	unknown is anything at all: what the program itself has put where a framework keeps it
//	same    returns its argument arg= (a wrapper of modules or functions)
//	file    opens a file, in the mode of argument mode=
//	sql     runs the statement of argument text=
//	spawn   starts the program of argument argv= (program first) or the shell line of line=
//	env     is the environment; as a call, reads the variable of key=
//	entries lists the names and values of its argument arg=
//	opaque  gives back what is known at run time only
//	member  gives back the member of argument of= that argument name= names
//	map     is a collection of what was put into it
//	temp    gives a temporary file or its directory; what is done to that says little
//
// The rest are arguments by their role: a position, a keyword, or both ("0|path"). path= is a
// file (path=self: what the method belongs to), code= what is run: where it is fixed in the source, the call says little;
// page= is the same for what runs in a browser's page and not in the server. to= is a second file, url= the address of a request, cmd= a line for a
// shell on another machine, inside= the program and the arguments that run in a container, load= a module that is loaded, part= a piece of a statement, prompt= instructions for a model,
// filter= a filter of a document database, pattern= a regular expression for an engine that goes back.
// on=X and off=X are options without which, or with which, what code= and load= name is not run.
// safe=A|B are names that make the call harmless where one of them is an argument. Layer 2 and the way of a parameter to a sink read
// the same rows, so that a new sink is one row.
type Table struct {
	exact map[string]*Row
	wild  map[string][]*Row // by root
	may   map[*Row][]capability.Tag
	runs  map[string]bool // the last words of the names of what starts programs and runs code
	roots map[string]bool // what the names of rows begin with: packages that have any
}

// A Row is what a table says of a name.
type Row struct {
	pattern string
	prefix  string // before the first *
	tail    string // from the first * on
	whole   bool   // the prefix ends where a name ends: X.** is X and all that comes of it
	kind    string
	tags    []capability.Tag
	weak    bool // what it does says little: asking whether a file exists
	args    map[string]arg
	safe    []string // names of which one as an argument makes the call harmless
}

// arg is a position, a keyword or both.
type arg struct {
	index int // -1 for none
	name  string
}

var kinds = []string{"pure", "same", "file", "sql", "spawn", "env", "map", "opaque", "member", "temp", "entries", "unknown"}

// ParseTable reads tables in the form above; lines that begin with # are comments.
func ParseTable(text string) (*Table, error) {
	t := &Table{exact: map[string]*Row{}, wild: map[string][]*Row{}, runs: map[string]bool{}, roots: map[string]bool{}}
	for n, fields := range Rows(text) {
		r, err := parseRow(fields)
		if err == nil {
			err = t.addRow(r)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	for _, rows := range t.wild {
		slices.SortStableFunc(rows, func(a, b *Row) int {
			// Of two that begin alike, the one that says more about the end comes first.
			return cmp.Or(len(b.prefix)-len(a.prefix), len(b.tail)-len(a.tail))
		})
	}
	t.findUnread()
	return t, nil
}

// findUnread notes, for each row that takes all members of a package for pure, what other members of it do.
func (t *Table) findUnread() {
	t.may = map[*Row][]capability.Tag{}
	for _, rows := range t.wild {
		for _, r := range rows {
			if r.kind != "pure" || r.tail != "*" && r.tail != "**" {
				continue
			}
			var tags []capability.Tag
			for _, other := range t.rowsBelow(r.prefix) {
				tags = append(tags, other.does()...)
			}
			slices.Sort(tags)
			t.may[r] = slices.Compact(tags)
		}
	}
}

// rowsBelow returns the rows of what a package or object has, by the beginning of their names.
func (t *Table) rowsBelow(prefix string) (out []*Row) {
	for name, r := range t.exact {
		if strings.HasPrefix(name, prefix) {
			out = append(out, r)
		}
	}
	for _, r := range t.wild[patternRoot(prefix)] {
		if strings.HasPrefix(r.prefix, prefix) {
			out = append(out, r)
		}
	}
	return out
}

func (r *Row) does() []capability.Tag { return append(tagsOf[r.kind], r.tags...) }

// tagsOf are the tags of rows that have none of their own, by their kind.
var tagsOf = map[string][]capability.Tag{
	"file": {capability.FSRead, capability.FSWrite}, "sql": {capability.DBQuery, capability.DBWrite},
	"spawn": {capability.Exec}, "env": {capability.SecretAccess},
}

// MustTable is ParseTable for a table that is part of the program, and tested.
func MustTable(text string) *Table {
	t, err := ParseTable(text)
	if err != nil {
		panic("sinks.txt: " + err.Error())
	}
	return t
}

func parseRow(fields []string) (*Row, error) {
	if len(fields) < 2 {
		return nil, fmt.Errorf("%q: want a name and what it does", fields[0])
	}
	r := &Row{pattern: fields[0], kind: fields[1], args: map[string]arg{}}
	r.prefix, _, _ = strings.Cut(r.pattern, "*")
	r.tail = r.pattern[len(r.prefix):]
	if strings.HasPrefix(r.tail, "**") && strings.HasSuffix(r.prefix, ".") {
		r.prefix, r.whole = strings.TrimSuffix(r.prefix, "."), true
	}
	if !slices.Contains(kinds, r.kind) {
		r.kind, r.weak = strings.CutSuffix(r.kind, "?")
		for _, s := range strings.Split(r.kind, "+") {
			tag, err := capability.ParseTag(s)
			if err != nil {
				return nil, fmt.Errorf("%s: %q is neither a kind of row nor tags", r.pattern, r.kind)
			}
			r.tags = append(r.tags, tag)
		}
		r.kind = "tag"
	}
	for _, f := range fields[2:] {
		role, where, ok := strings.Cut(f, "=")
		if !ok {
			return nil, fmt.Errorf("%s: argument %q: want role=position", r.pattern, f)
		}
		if role == "safe" {
			r.safe = strings.Split(where, "|")
			continue
		}
		a := arg{index: -1}
		for _, w := range strings.Split(where, "|") {
			if i, err := strconv.Atoi(w); err == nil {
				a.index = i
			} else {
				a.name = w
			}
		}
		r.args[role] = a
	}
	return r, nil
}

// connection matches names of what is a connection to a database, or comes of one.
var connection = lazyregexp.New(`(?i)(?:connect\w*|cursor|pool|database)\(\)`)

func (t *Table) addRow(r *Row) error {
	t.roots[patternRoot(r.pattern)] = true
	if _, code := r.args["code"]; code || r.kind == "spawn" {
		t.runs[r.pattern[strings.LastIndexAny(r.pattern, "./")+1:]] = true
	}
	if r.tail == "" {
		if t.exact[r.pattern] != nil {
			return fmt.Errorf("%s has two rows", r.pattern)
		}
		t.exact[r.pattern] = r
		return nil
	}
	key := patternRoot(r.prefix)
	t.wild[key] = append(t.wild[key], r)
	return nil
}

// patternRoot is the part of a name by which rows with * are filed: up to the first dot or slash.
func patternRoot(name string) string {
	if i := strings.IndexAny(name, "./(*"); i > 0 {
		return name[:i]
	}
	return name
}

// findRow returns the row for a name, or nil.
func (t *Table) findRow(name string) *Row {
	if strings.Contains(name, inMemory) {
		name = strings.ReplaceAll(name, inMemory, "")
	}
	if r := t.exact[name]; r != nil {
		return r
	}
	for _, r := range t.wild[patternRoot(name)] {
		if r.matchesName(name) {
			return r
		}
	}
	// A driver that has no row is one like the others: mariadb.connect().cursor().execute.
	if at := strings.LastIndexByte(name, '.'); at > 0 && !t.roots[patternRoot(name)] {
		if r := t.exact[name[at:]]; r != nil && r.kind == "sql" && connection.MatchString(name[:at]) {
			return r
		}
	}
	return nil
}

func (r *Row) matchesName(name string) bool {
	rest, ok := strings.CutPrefix(name, r.prefix)
	if !ok || r.whole && rest != "" && !strings.ContainsRune(".([", rune(rest[0])) {
		return false
	}
	return matchGlob(r.tail, rest)
}

// matchGlob matches a pattern with * and **. Patterns are ours and hold two stars at most; a name is
// as long as the limits of evaluation allow.
func matchGlob(pattern, name string) bool {
	for pattern != "" {
		if pattern[0] == '*' {
			rest, anything := strings.CutPrefix(pattern[1:], "*")
			for i := range len(name) + 1 {
				if matchGlob(rest, name[i:]) {
					return true
				}
				if !anything && i < len(name) && name[i] == '.' {
					return false
				}
			}
			return false
		}
		if name == "" || name[0] != pattern[0] {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return name == ""
}

// Rows yields the fields of the lines of a table of ours; lines that begin with # are comments.
func Rows(table string) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		n := 0
		for line := range strings.Lines(table) {
			n++
			if fields := strings.Fields(line); len(fields) > 0 && fields[0][0] != '#' && !yield(n, fields) {
				return
			}
		}
	}
}
