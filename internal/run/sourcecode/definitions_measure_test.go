package sourcecode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gauntlet/sink"
)

// listed is a tool as a server listed it.
type listed struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"inputSchema"`
}

// agreement counts how often what was read is what the server said.
type agreement struct {
	tools, found                             int
	described, descriptionSame, descriptionX int // X: said to be unknown
	parameters, read, readWrong              int // of tools whose schema is known
	schemas, schemaX                         int
	typeSame, typeKnown                      int
	noteSame, noteKnown                      int
}

func (a *agreement) add(b agreement) {
	for _, f := range []struct {
		to *int
		n  int
	}{
		{&a.tools, b.tools}, {&a.found, b.found}, {&a.described, b.described}, {&a.descriptionSame, b.descriptionSame}, {&a.descriptionX, b.descriptionX},
		{&a.parameters, b.parameters}, {&a.read, b.read}, {&a.readWrong, b.readWrong}, {&a.schemas, b.schemas}, {&a.schemaX, b.schemaX},
		{&a.typeSame, b.typeSame}, {&a.typeKnown, b.typeKnown}, {&a.noteSame, b.noteSame}, {&a.noteKnown, b.noteKnown},
	} {
		*f.to += f.n
	}
}

func membersOf(schema map[string]any, name string) map[string]any {
	m, _ := schema[name].(map[string]any)
	return m
}

func compareTool(t *testing.T, server string, want listed, d *sink.Definition) (a agreement) {
	a.tools++
	if d == nil {
		t.Logf("%s/%s: not found", server, want.Name)
		return a
	}
	a.found++
	switch {
	case strings.TrimSpace(want.Description) == "":
	case slices.Contains(d.Unknown, "description"):
		a.described++
		a.descriptionX++
	default:
		a.described++
		if strings.TrimSpace(d.Description) == strings.TrimSpace(want.Description) {
			a.descriptionSame++
		} else {
			t.Logf("%s/%s at %s: description\n   read %.200q\n   said %.200q", server, want.Name, d.At, d.Description, want.Description)
		}
	}
	props := membersOf(want.InputSchema, "properties")
	if d.InputSchema == nil {
		if len(props) > 0 {
			a.schemas++
			a.parameters += len(props)
			if slices.Contains(d.Unknown, "inputSchema") {
				a.schemaX++
			} else {
				t.Logf("%s/%s at %s: no schema, %v", server, want.Name, d.At, d.Unknown)
			}
		}
		return a
	}
	if len(props) > 0 {
		a.schemas++
	}
	var got map[string]any
	if err := json.Unmarshal(d.InputSchema, &got); err != nil {
		t.Errorf("%s/%s: %v", server, want.Name, err)
	}
	read := membersOf(got, "properties")
	a.parameters += len(props)
	for name, p := range props {
		q, ok := read[name].(map[string]any)
		if !ok {
			t.Logf("%s/%s at %s: parameter %s not read; unknown %v", server, want.Name, d.At, name, d.Unknown)
			continue
		}
		a.read++
		w, _ := p.(map[string]any)
		if w["type"] != nil && q["type"] != nil {
			a.typeKnown++
			if reflect.DeepEqual(w["type"], q["type"]) {
				a.typeSame++
			} else {
				t.Logf("%s/%s at %s: %s: type %v, said %v", server, want.Name, d.At, name, q["type"], w["type"])
			}
		}
		if w["description"] != nil {
			a.noteKnown++
			if reflect.DeepEqual(w["description"], q["description"]) {
				a.noteSame++
			} else {
				t.Logf("%s/%s at %s: %s: note %.100q, said %.100q", server, want.Name, d.At, name, q["description"], w["description"])
			}
		}
	}
	for name := range read {
		if props[name] == nil {
			a.readWrong++
			t.Logf("%s/%s at %s: parameter %s is none", server, want.Name, d.At, name)
		}
	}
	return a
}

// TestDefinitionsAgree compares what is read of packages with what their servers listed: GAUNTLET_PACKAGES holds
// NAME/package for each NAME.json of the folders in GAUNTLET_SNAPSHOTS.
func TestDefinitionsAgree(t *testing.T) {
	packages, snapshots := os.Getenv("GAUNTLET_PACKAGES"), os.Getenv("GAUNTLET_SNAPSHOTS")
	if packages == "" || snapshots == "" {
		t.Skip("GAUNTLET_PACKAGES and GAUNTLET_SNAPSHOTS name no folders")
	}
	var all agreement
	for _, dir := range filepath.SplitList(snapshots) {
		files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			source := filepath.Join(packages, name, "package")
			if _, err := os.Stat(source); err != nil || os.Getenv("ONLY") != "" && os.Getenv("ONLY") != name {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s struct{ Tools []listed }
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			found, err := Analyse(t.Context(), source, nil)
			if err != nil {
				t.Fatal(err)
			}
			var one agreement
			for _, want := range s.Tools {
				var d *sink.Definition
				if found.Sources != nil {
					if i := slices.IndexFunc(found.Sources.Definitions, func(d sink.Definition) bool { return d.Tool == want.Name }); i >= 0 {
						d = &found.Sources.Definitions[i]
					}
				}
				one.add(compareTool(t, name, want, d))
			}
			t.Logf("SERVER %s: %+v", name, one)
			all.add(one)
		}
	}
	t.Logf("ALL %+v", all)
	if all.tools > 0 && 2*all.found < all.tools {
		t.Errorf("%d of %d tools were found", all.found, all.tools)
	}
}
