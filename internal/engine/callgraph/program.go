package callgraph

import (
	_ "embed" // the table
	"strconv"
	"strings"
	"sync"
)

//go:embed programs.txt
var programTable string

// A Program is what is known of a program that servers start. programs.txt says what its facts mean.
type Program struct {
	Interprets, Script, Reads, SQL, JSON, Remote, Names bool

	Code, Danger            string
	Behind, Most            int
	Switches, Files, Valued map[string]bool // Valued is nil where any option may have a value
}

var programs = sync.OnceValue(func() map[string]*Program {
	out := map[string]*Program{}
	for _, fields := range Rows(programTable) {
		p := &Program{}
		for _, f := range fields[1:] {
			p.set(strings.Cut(f, "="))
		}
		for _, name := range strings.Split(fields[0], ",") {
			out[name] = p
		}
	}
	return out
})

func (p *Program) set(fact, value string, _ bool) {
	flags := map[string]*bool{"script": &p.Script, "reads": &p.Reads, "sql": &p.SQL, "json": &p.JSON, "remote": &p.Remote, "names": &p.Names}
	lists := map[string]*map[string]bool{"switches": &p.Switches, "files": &p.Files, "valued": &p.Valued}
	number, _ := strconv.Atoi(value)
	switch {
	case flags[fact] != nil:
		*flags[fact] = true
	case lists[fact] != nil:
		*lists[fact] = Names(strings.ReplaceAll(value, "|", " "))
	case fact == "code":
		p.Interprets, p.Code = true, value
	case fact == "danger":
		p.Danger = value
	case fact == "behind":
		p.Behind = number
	case fact == "most":
		p.Most = number
	default:
		panic("programs.txt: " + fact)
	}
}

// ProgramOf returns what is known of a program by its name; of one that the table lacks that is nothing.
func ProgramOf(name string) *Program {
	if p := programs()[strings.ToLower(name)]; p != nil {
		return p
	}
	return &Program{}
}

// RunsInput reports whether a program runs what it reads from its standard input.
func (p *Program) RunsInput() bool { return p.Code != "" || p.Reads }

// TakesValue reports whether an argument is an option that takes the next one for its value, as far as is known.
func (p *Program) TakesValue(option string) bool {
	return strings.HasPrefix(option, "-") && !strings.Contains(option, "=") && !p.Switches[option]
}
