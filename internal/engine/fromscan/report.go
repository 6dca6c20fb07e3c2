package fromscan

import (
	"encoding/json"
	"errors"
	"slices"

	"gauntlet/finding"
)

// Findings returns the findings of a scan's JSON report and the distinct snapshots that they name.
func Findings(report string) (findings []finding.Finding, files []string, err error) {
	var r struct {
		Version  string             `json:"schema_version"`
		Findings *[]finding.Finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil || r.Findings == nil || r.Version == "" {
		return nil, nil, errors.New("not the JSON report of a scan")
	}
	for _, f := range *r.Findings {
		for _, l := range append([]finding.Location{f.Location}, f.Related...) {
			if l.File != "" && l.File != "-" && !slices.Contains(files, l.File) {
				files = append(files, l.File)
			}
		}
	}
	return *r.Findings, files, nil
}
