package calibration

import (
	"encoding/json"
	"fmt"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/userfile"
)

// familiesEnding tells a file of labelled servers, one a line, from the directory of a corpus.
const familiesEnding = ".ndjson"

// A familyServer is one line of such a file.
type familyServer struct {
	ID       string          `json:"id"`
	Snapshot json.RawMessage `json:"snapshot"`
	Labels   json.RawMessage `json:"labels"` // by tool, as in the labels of a corpus
}

// readFamilies reads a file of labelled servers. A line that cannot be read is a problem and keeps no other from being measured.
func readFamilies(file string) (*Corpus, []finding.Problem, error) {
	text, err := userfile.ReadText(file, nil, maxLabels)
	if err != nil {
		return nil, nil, err
	}
	c := &Corpus{}
	var problems []finding.Problem
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := c.addFamilyServer(line); err != nil {
			problems = append(problems, sourcecode.Failed(fmt.Sprintf("%s:%d", file, n), err))
		}
	}
	if len(c.names) == 0 {
		return nil, problems, fmt.Errorf("%s: no labelled server of it could be read", file)
	}
	return c, problems, nil
}

func (c *Corpus) addFamilyServer(line string) error {
	var s familyServer
	if err := json.Unmarshal([]byte(line), &s); err != nil {
		return err
	}
	labels, err := json.Marshal(map[string]any{"server": s.ID, "tools": s.Labels})
	if err != nil {
		return err
	}
	truth, err := Parse(labels)
	if err != nil {
		return err
	}
	read, err := catalog.Parse(s.ID, string(s.Snapshot), catalog.Limits{})
	if err != nil {
		return err
	}
	if len(read.Servers) != 1 {
		return fmt.Errorf("want one server, there are %d", len(read.Servers))
	}
	c.names, c.servers, c.truths = append(c.names, s.ID), append(c.servers, read.Servers[0]), append(c.truths, truth)
	return nil
}
