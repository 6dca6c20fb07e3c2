package scanrun

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// Limits on one file, in addition to the reader's size limit.
const (
	maxImported = 10_000
	maxRuns     = 10_000 // trials, and attacks
	maxDepth    = 64
	maxText     = 2_000 // bytes of a message
	maxName     = 300   // bytes of any other text
	maxNames    = 8     // definition names in one result
)

// A importedFile is what was read from one report.
type importedFile struct {
	Source  result.ImportedFile
	Cut     bool   // more findings or runs than are read
	Undone  string // what its program did not do, by its own words
	claims  []claim
	probing []result.Probing
	attacks []result.AttackRun
}

// A claim is an imported finding that is not yet matched.
type claim struct {
	result.ImportedFinding
	names       []naming
	subject     subject
	fingerprint string // of this program's findings
}

// A naming is a definition's name in a report: alone and, if given, qualified.
type naming struct{ name, full string }

func (c *claim) name(name, full string) {
	if name = cmp.Or(name, full[strings.LastIndexByte(full, '/')+1:]); name != "" {
		c.names = append(c.names, naming{name, full})
	}
}

// parseImported parses a report. The error says why nothing could be read; a malformed result is counted and does not affect the
// others.
func parseImported(file, text string) (*importedFile, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if tree.Depth() > maxDepth {
		return nil, fmt.Errorf("it is nested %d deep, the limit is %d", tree.Depth(), maxDepth)
	}
	var top struct {
		Version  string            `json:"version"`
		Runs     []json.RawMessage `json:"runs"`
		Schema   string            `json:"schema_version"`
		Tool     struct{ Name string }
		Findings []json.RawMessage `json:"findings"`
		Probing  *struct {
			Server string            `json:"server"`
			Trials []json.RawMessage `json:"trials"`
		} `json:"probing"`
		Attacks []json.RawMessage `json:"attacks"`
	}
	f := &importedFile{Source: result.ImportedFile{File: file}}
	switch {
	case !decode([]byte(text), &top):
	case top.Runs != nil && strings.HasPrefix(top.Version, "2.1"):
		f.Source.Format = "sarif"
		f.readSARIF(top.Runs)
		return f, nil
	case top.Schema != "" && top.Tool.Name == "gauntlet" && top.Findings != nil:
		f.Source.Format = "gauntlet"
		f.readFindings(top.Findings)
		if p := top.Probing; p != nil {
			f.probing = []result.Probing{{Server: p.Server, Trials: decodeRuns[result.ProbeTrial](f, p.Trials)}}
		}
		f.attacks = decodeRuns[result.AttackRun](f, top.Attacks)
		if whole := new(result.Report); decode([]byte(text), whole) && !whole.Complete() {
			f.Undone = clip(whole.Undone()[0], maxText)
		}
		return f, nil
	}
	return nil, errors.New("it is neither SARIF 2.1.0 nor a JSON report of gauntlet")
}

// decode parses one value. Members of a wrong type count as absent; text that is no object is rejected.
func decode(text []byte, into any) bool {
	err := json.Unmarshal(text, into)
	var wrong *json.UnmarshalTypeError
	return err == nil || errors.As(err, &wrong) && wrong.Field != ""
}

// decodeRuns parses the well-formed runs.
func decodeRuns[T any](f *importedFile, texts []json.RawMessage) (out []T) {
	for _, text := range texts {
		if f.Source.Runs == maxRuns {
			f.Cut = true
			break
		}
		var one T
		if json.Unmarshal(text, &one) == nil {
			out = append(out, one)
			f.Source.Runs++
		}
	}
	return out
}

// readFindings reads the findings of this program's report.
func (f *importedFile) readFindings(texts []json.RawMessage) {
	for _, text := range texts {
		var own finding.Finding
		if json.Unmarshal(text, &own) != nil {
			f.Source.Left++
			continue
		}
		var c claim
		c.Tool, c.Rule, c.Severity, c.Message = "gauntlet", string(own.Rule), own.Severity, own.Message
		at := own.Location
		c.Location = finding.Location{Server: at.Server, Kind: at.Kind, Item: at.Item, File: at.File, Line: max(at.Line, 0), EndLine: max(at.EndLine, 0)}
		if rest, ok := cutProperties(at.Pointer); ok {
			c.Parameter = rest
		}
		c.fingerprint, c.subject = own.Fingerprint, subjectOfFinding(&own)
		if !f.add(c) {
			return
		}
	}
}

// cutProperties returns the tool parameter a pointer leads to.
func cutProperties(pointer string) (string, bool) {
	_, rest, ok := strings.Cut(pointer, "/inputSchema/properties/")
	rest, _, _ = strings.Cut(rest, "/")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(rest), ok
}

// kindsOfPlace are the kinds of definition a report may name.
var kindsOfPlace = []finding.Kind{finding.Tool, finding.Prompt, finding.Resource, finding.ResourceTemplate, finding.Server, finding.Message}

// add adds a claim with its texts shortened, and reports whether there is room for more.
func (f *importedFile) add(c claim) bool {
	if len(f.claims) == maxImported {
		f.Cut = true
		return false
	}
	c.File = f.Source.File
	c.Tool = clip(cmp.Or(c.Tool, "unnamed tool"), maxName)
	c.Rule = clip(cmp.Or(c.Rule, "unnamed rule"), maxName)
	c.Message = clip(c.Message, maxText)
	c.Severity = max(c.Severity, finding.Info)
	for _, t := range []*string{&c.Parameter, &c.Location.Server, &c.Location.Item, &c.Location.File} {
		*t = clip(*t, maxName)
	}
	if !slices.Contains(kindsOfPlace, c.Location.Kind) {
		c.Location.Kind = ""
	}
	f.claims = append(f.claims, c)
	f.Source.Findings++
	return true
}

// clip shortens a text and makes it valid UTF-8.
func clip(s string, n int) string { return excerpt.Clip(strings.ToValidUTF8(s, "\ufffd"), n) }
