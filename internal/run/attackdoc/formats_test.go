package attackdoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// Everything that a summary can tell stands in one document, and every kind of diagnosis in a list of four.
func TestFormats(t *testing.T) {
	const file = "testdata/formats.txtar"
	golden, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range golden.Files {
		texts[f.Name] = string(f.Data)
	}
	limits := oatf.DefaultLimits()
	var all []Diagnosis
	for _, name := range []string{"full.yaml", "plain.yaml", "bad.yaml"} {
		d := Text{Name: name, Text: texts[name]}
		all = append(all, d.Validate(limits, true))
	}
	all = append(all, Diagnosis{Text: Text{Name: "gone\x1b.yaml", Err: errors.New("no such file")}})
	got := map[string]func(*bytes.Buffer) error{
		"want pretty":  func(b *bytes.Buffer) error { return Write(b, all, "pretty", 60, "1.0") },
		"want unknown": func(b *bytes.Buffer) error { return Write(b, all[:2], "pretty", 0, "1.0") },
		"want json":    func(b *bytes.Buffer) error { return Write(b, all, "json", 0, "1.0") },
		"want sarif":   func(b *bytes.Buffer) error { return writeResults(b, all) },
	}
	for _, name := range []string{"full.yaml", "plain.yaml"} {
		got["want summary "+name] = func(b *bytes.Buffer) error {
			d := Text{Name: name, Text: texts[name]}
			doc, problem := d.Load(limits)
			if problem != "" {
				return errors.New(problem)
			}
			return WriteSummary(b, doc)
		}
		got["want list "+name] = func(b *bytes.Buffer) error {
			doc, _, err := oatf.Load(texts[name])
			if err != nil {
				return err
			}
			return errors.Join(WriteList(b, []Listed{newListed("a", doc)}, "text"), WriteList(b, []Listed{newListed("a", doc)}, "json"))
		}
	}
	changed := false
	for i := range golden.Files {
		f := &golden.Files[i]
		write := got[f.Name]
		if write == nil {
			continue
		}
		delete(got, f.Name)
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
			b.WriteByte('\n')
		}
		if b.String() != string(f.Data) {
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name, b.String(), f.Data)
			f.Data, changed = b.Bytes(), true
		}
	}
	for name := range got {
		t.Errorf("%s has no section in %s", name, file)
	}
	if *update && changed {
		if err := os.WriteFile(file, txtar.Format(golden), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// writeResults writes what stands in SARIF beside the rules: a line for each result, and whether all was read.
func writeResults(w *bytes.Buffer, all []Diagnosis) error {
	var b bytes.Buffer
	if err := Write(&b, all, "sarif", 0, "1.0"); err != nil {
		return err
	}
	var sarif struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Version string
					Rules   []struct{ ID string }
				}
			}
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
				}
			}
			Invocations []struct {
				ExecutionSuccessful        bool
				ToolExecutionNotifications []struct{ Message struct{ Text string } }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &sarif); err != nil {
		return err
	}
	run := sarif.Runs[0]
	fmt.Fprintf(w, "version %s, %d rules\n", run.Tool.Driver.Version, len(run.Tool.Driver.Rules))
	for _, r := range run.Results {
		at := r.Locations[0].PhysicalLocation
		fmt.Fprintf(w, "%s %s %s %v: %s\n", r.RuleID, r.Level, at.ArtifactLocation.URI, at.Region, r.Message.Text)
	}
	for _, i := range run.Invocations {
		fmt.Fprintf(w, "successful %v %v\n", i.ExecutionSuccessful, i.ToolExecutionNotifications)
	}
	return nil
}

// A page is bad where a document is invalid or unreadable, and lists diagnostics where there are any.
func TestPage(t *testing.T) {
	one := oatf.Diagnostic{Rule: "V-001", Section: "§1", Line: 7, Column: 3, Path: "attack.name", Message: "it is missing"}
	nowhere := oatf.Diagnostic{Rule: "V-002", Message: "no place"}
	good := Diagnosis{Text: Text{Name: "good.yaml"}}
	warned := Diagnosis{Text: Text{Name: "warned.yaml"}, Warnings: []oatf.Diagnostic{nowhere}}
	bad := Diagnosis{Text: Text{Name: "bad.yaml"}, Errors: []oatf.Diagnostic{one}}
	gone := Diagnosis{Text: Text{Name: "gone.yaml", Err: errors.New("no such file")}}
	for _, tt := range []struct {
		name       string
		all        []Diagnosis
		class      string
		has, lacks []string
	}{
		{"all is well", []Diagnosis{good}, "ok", []string{"good.yaml", "1 valid, 0 invalid"}, []string{"Errors and warnings"}},
		{"a warning", []Diagnosis{good, warned}, "ok", []string{"Errors and warnings", "V-002", "2 documents were checked"}, []string{"0:0"}},
		{"an error", []Diagnosis{good, bad}, "bad", []string{"V-001", "7:3", "attack.name", "it is missing", "§1", ">invalid<"}, nil},
		{"an unreadable one", []Diagnosis{gone, good}, "bad", []string{"gone.yaml cannot be read: no such file", ">unreadable<", ">valid<"}, []string{"Errors and warnings"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, tt.all, "html", 0, "1.0"); err != nil {
				t.Fatal(err)
			}
			if page := b.String(); !strings.Contains(page, `class="verdict `+tt.class) && !strings.Contains(page, tt.class+`"`) {
				t.Errorf("no class %s in %.2000s", tt.class, page)
			}
			for _, want := range tt.has {
				if !strings.Contains(b.String(), want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			for _, lack := range tt.lacks {
				if strings.Contains(b.String(), lack) {
					t.Errorf("the page has %q", lack)
				}
			}
		})
	}
}

func TestWords(t *testing.T) {
	long := strings.Repeat("ä", shownRunes)
	for _, tt := range []struct{ name, got, want string }{
		{"a text on one line", shortenLine(" a\n\tb  c "), "a b c"},
		{"as long as is shown", shortenLine(long), long},
		{"longer", shortenLine(long + "b"), long[:len(long)-len("ä")] + "…"},
		{"the first paragraph", strings.Join(wrapParagraph("\n one\ntwo \n\nthree"), "|"), "one two"},
		{"no words", strings.Join(wrapParagraph(" \n"), "|"), ""},
		{"a line that is full", strings.Join(wrapParagraph(strings.Repeat("a", 38)+" "+strings.Repeat("b", 39)), "|"), strings.Repeat("a", 38) + " " + strings.Repeat("b", 39)},
		{"a line that is one too long", strings.Join(wrapParagraph(strings.Repeat("ä", 39)+" "+strings.Repeat("b", 39)), "|"), strings.Repeat("ä", 39) + "|" + strings.Repeat("b", 39)},
		{"a word that is too long", strings.Join(wrapParagraph(strings.Repeat("a", 80)+" b"), "|"), strings.Repeat("a", 78) + "|aa b"},
		{"words that are there", strings.Join(nonEmpty("", "a", "", "b"), "|"), "a|b"},
		{"a prefix", withPrefix("actor ", "a"), "actor a"},
		{"a prefix of nothing", withPrefix("actor ", ""), ""},
		{"words", joinWords([]oatf.Impact{"a", "b"}), "a, b"},
		{"one error", andMoreErrors(0), ""},
		{"three errors", andMoreErrors(2), " and 2 more"},
		{"the whole message", pathText(""), "the message"},
		{"a path", pathText("arguments.x"), "arguments.x"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestValuesInWords(t *testing.T) {
	for _, tt := range []struct{ value, part, condition string }{
		{`"a  b"`, "a b", `is "a b"`},
		{`7`, "7", "is 7"},
		{`{}`, "{}", "is {}"},
		{`{"contains":"x","starts_with":"2"}`, "{contains, starts_with}", `contains "x" and starts with "2"`},
		{`{"contains":"x","else":2}`, "{contains, else}", `is {"contains":"x","else":2}`},
		{`{"else":2}`, "{else}", `is {"else":2}`},
		{`[]`, "none", "is []"},
		{`[1,2]`, "2", "is [1,2]"},
		{`[{"name":"a","uri":"b"},{"method":"c"},{"uri":"d"},{"uriTemplate":"e"},{"message":"f"},{}]`, "a, c, d, e, f", ""},
		{`[{"name":"a","responses":[{}]},{"name":"b","responses":[{},{}]}]`, "a, b (2 answers)", ""},
	} {
		var tree rawjson.Tree
		if err := tree.Parse(tt.value, 0); err != nil {
			t.Fatal(err)
		}
		v := tree.Root()
		if got := partText(v); got != tt.part {
			t.Errorf("%s is %q, want %q", tt.value, got, tt.part)
		}
		if got := conditionText(v); tt.condition != "" && got != tt.condition {
			t.Errorf("the condition %s is %q, want %q", tt.value, got, tt.condition)
		}
	}
}

// A column counts characters; one behind the line is its end.
func TestOffsetOf(t *testing.T) {
	for column, want := range []int{0, 0, 1, 3, 4, 4, 4} {
		if got := offsetOf("aäb", column); got != want {
			t.Errorf("column %d begins at %d, want %d", column, got, want)
		}
	}
}
