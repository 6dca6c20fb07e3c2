package golang

import (
	"testing"

	"gauntlet/sink"
)

// TestTypesInsideFunctions: a method of an interface that a function declares is called as one that the package does.
func TestTypesInsideFunctions(t *testing.T) {
	const body = `
type disk struct{}
func (d *disk) load(p string) { os.ReadFile(p) }
`
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"of the package", "type loader interface { load(p string) }\nfunc f0(p string) { var l loader; l.load(p) }", 1},
		{"of the function", "func f0(p string) { type loader interface { load(p string) }; var l loader; l.load(p) }", 1},
		{"another method", "func f0(p string) { type loader interface { save(p string) }; var l loader; l.save(p) }", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, errs := Analyse([]sink.File{{Path: "a.go", Text: []byte("package main\nimport \"os\"\n" + head[len("package main\n"):] + body + tt.text)}}, nil, nil)
			if len(errs) > 0 || len(s.Handlers) != 1 || len(s.Handlers[0].Calls) != tt.want {
				t.Errorf("got %+v, %v, want %d calls", s.Handlers, errs, tt.want)
			}
		})
	}
}
