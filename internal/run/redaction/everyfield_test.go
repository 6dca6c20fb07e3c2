package redaction

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/capability"
	"gauntlet/finding"
	"gauntlet/result"
)

const everywhere = "q7-everywhere-9z"

// fill puts the value into every text of a structure, each list and map with one entry.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("says " + everywhere)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return
		}
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	}
}

// holding adds the paths of the texts that still hold the value.
func holding(v reflect.Value, path string, out map[string]bool) {
	switch v.Kind() {
	case reflect.String:
		if strings.Contains(v.String(), everywhere) {
			out[path] = true
		}
	case reflect.Pointer:
		if !v.IsNil() {
			holding(v.Elem(), path, out)
		}
	case reflect.Slice:
		for i := range v.Len() {
			holding(v.Index(i), path, out)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			holding(k, path+" (names)", out)
			holding(v.MapIndex(k), path, out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				holding(v.Field(i), strings.TrimPrefix(path+"."+f.Name, "."), out)
			}
		}
	}
}

// untouched are what of a report may hold anything: what says nothing of a live server, and what the user, a registry or this
// program says. Everything else is cleared of the values that live servers were given; a new field has to be put on either side.
var untouched = []string{
	"Attacks", "Expectations", "Rates", "Suppressions", "Suppressed.Decision", // of files and traces, which are cleared when they are written
	"Rules", "Tool", "SchemaVersion", "Gate", "Skipped", "Summary.BySeverity (names)", "Coverage.Fields", // the program's own words
	"Clients.Agents", "Clients.Files", "Clients.Entries.Client", "Clients.Entries.File", "Clients.Entries.Name", "Clients.Entries.Project", "Clients.Entries.Starts",
	"Clients.Entries.State", "Clients.Entries.Transport", // of the user's configuration
	"Advisory.Findings.Confidence", "Advisory.Findings.Threat", "Advisory.Labels", "Advisory.Model", "Advisory.Prompt", // models are asked in masked words
	"Coverage.Checks.Name", "Coverage.Checks.Of", "Coverage.Checks.Rule", "Coverage.Checks.State", "Coverage.Servers.File", "Coverage.Servers.Lists", "Coverage.Trace.Boundary", "Coverage.Trace.File",
	"Findings.Advice", "Findings.Also", "Findings.Confidence", "Findings.Content", "Findings.Fingerprint", "Findings.Name", "Findings.Rule", "Findings.Steps.File", "Findings.Taxonomy", "Findings.Related.File", "Findings.Related.Kind",
	"Findings.Location.File", "Findings.Location.Kind", "Problems.Kind", "Problems.Location.File", "Problems.Location.Kind",
	"Imported.Files", "Imported.Findings.Agrees", "Imported.Findings.File", "Imported.Findings.Run", "Imported.Findings.State",
	"Posture.ID", "Posture.Layer", "Posture.Name", "Posture.State",
	"Probing.Ground", "Probing.NotApplicable", "Probing.Protections", "Probing.Supplied", "Probing.Trials.Class", "Probing.Trials.Finding", "Probing.Trials.Outcome",
	"Sandboxes.Contacts.How", "Sandboxes.Protections",
	"Vetted.Depth", "Vetted.Findings", "Vetted.Kind", "Vetted.Name", "Vetted.Package", "Vetted.Placeholders", "Vetted.Steps.Name", "Vetted.Steps.State", "Vetted.Target", "Vetted.Verdict", "Vetted.Version",
}

// A value that a live server was given is in no text of a report that may quote it, whatever part of the report that is.
func TestEveryTextOfAReport(t *testing.T) {
	var r result.Report
	fill(reflect.ValueOf(&r).Elem())
	r.Clients.Files[0].File = "elsewhere.json"
	New([]string{"TOKEN=" + everywhere}).Report(&r)
	left := map[string]bool{}
	holding(reflect.ValueOf(r), "", left)
	for path := range left {
		allowed := slices.ContainsFunc(untouched, func(u string) bool {
			path := path
			for _, list := range []string{"Suppressed.Finding.", "Imported.Findings.Location.", "Advisory.Findings.Location.", "Advisory.Unjudged.Location."} {
				if rest, ok := strings.CutPrefix(path, list); ok {
					path = "Findings." + strings.TrimPrefix("Location."+rest, map[bool]string{true: "Location."}[list == "Suppressed.Finding."])
				}
			}
			return path == u || strings.HasPrefix(path, u+".")
		})
		if !allowed {
			t.Errorf("%s still holds the value", path)
		}
	}
	if r.Findings[0].Message != "says [TOKEN]" || r.Vetted[0].Steps[0].Detail != "says [TOKEN]" {
		t.Errorf("%q and %q, want the name in place of the value", r.Findings[0].Message, r.Vetted[0].Steps[0].Detail)
	}
}

// The same for labels: what may quote a server is cleared, names of roles included.
func TestEveryTextOfLabels(t *testing.T) {
	servers := make([]capability.Server, 1)
	fill(reflect.ValueOf(&servers[0]).Elem())
	New([]string{"TOKEN=" + everywhere}).Labels(servers)
	left := map[string]bool{}
	holding(reflect.ValueOf(servers), "", left)
	own := []string{ // the vocabulary of labels, and what the user named
		"Capabilities", "Inferred", "VocabularyVersion", "SharedCalls", "Combinations.Confidence", "Combinations.Rationale", "Combinations.Scope", "Combinations.Tags",
		"Tools.Capabilities.Confidence", "Tools.Capabilities.Signals.File", "Tools.Capabilities.Signals.Source", "Tools.Capabilities.Tag", "Tools.Flow", "Tools.Mode", "Tools.Roles.Confidence", "Tools.Roles.Role",
	}
	for path := range left {
		if !slices.ContainsFunc(own, func(o string) bool { return path == o || strings.HasPrefix(path, o+".") }) {
			t.Errorf("%s still holds the value", path)
		}
	}
}

// Where a value stands only in what was read of an excerpt, or only in its raw form, the other form is not shown.
func TestFormsOfEvidence(t *testing.T) {
	v := New([]string{"K=" + everywhere})
	for _, tt := range []struct{ raw, read, wantRaw, wantRead string }{
		{"a", "", "a", ""}, {everywhere, "", "[K]", ""}, {"a", "b", "a", "b"}, {everywhere, everywhere, "[K]", "[K]"},
		{"hidden form", "x " + everywhere, "x [K]", "x [K]"}, {"x " + everywhere, "hidden form", "x [K]", ""},
	} {
		e := finding.Evidence{Raw: tt.raw, Normalized: tt.read}
		v.redactEvidence(&e)
		if e.Raw != tt.wantRaw || e.Normalized != tt.wantRead {
			t.Errorf("%q read as %q: %q and %q, want %q and %q", tt.raw, tt.read, e.Raw, e.Normalized, tt.wantRaw, tt.wantRead)
		}
	}
}

// A message that cuts texts short loses what is left of a value at each cut, on the side of the cut alone.
func TestMessagesThatCut(t *testing.T) {
	v := New([]string{"K=" + everywhere})
	begin, end := everywhere[:6], everywhere[len(everywhere)-6:]
	for in, want := range map[string]string{
		"says " + everywhere: "says [K]", "says " + begin: "says " + begin, "says " + begin + "…": "says …", "…" + end + " is it": "… is it",
		end + "… it " + begin: end + "… it " + begin, "a " + begin + "…" + end + " b": "a … b", "a…b…c": "a…b…c", begin + "… x …" + end: "… x …",
	} {
		got := in
		v.Message(&got)
		if got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
