package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/calibrate"
	"gauntlet/catalog"
	"gauntlet/finding"
)

// A corpus is what a calibration needs: servers, and what people said about them. The lists
// go together.
type corpus struct {
	names   []string // of the files, without their endings
	servers []*catalog.Server
	truths  []*calibrate.Truth
	sources map[string]*analysed // by name, where the source was given
}

// maxLabels is the longest file of labels that is read, in bytes.
const maxLabels = 16 << 20

// readCorpus reads every labelled server of a corpus, by name. One that cannot be read is a
// problem and keeps no other from being measured; the error says that there is nothing to
// measure.
func readCorpus(dir string) (*corpus, []finding.Problem, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "labels"))
	c := &corpus{}
	var problems []finding.Problem
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok {
			continue
		}
		labels, snapshot := filepath.Join(dir, "labels", e.Name()), filepath.Join(dir, "snapshots", name+".json")
		truth, err := readLabels(labels)
		if err != nil {
			problems = append(problems, failedAt(labels, err))
			continue
		}
		server, partly, err := readSnapshot(snapshot)
		problems = append(problems, partly...)
		if err != nil {
			problems = append(problems, failedAt(snapshot, err))
			continue
		}
		c.names, c.servers, c.truths = append(c.names, name), append(c.servers, server), append(c.truths, truth)
	}
	switch {
	case err != nil || len(c.names)+len(problems) == 0:
		return nil, nil, fmt.Errorf("%s: no labels/*.yaml in it", dir)
	case len(c.names) == 0:
		return nil, problems, fmt.Errorf("%s: no labelled server of it could be read", dir)
	}
	return c, problems, nil
}

func readLabels(file string) (*calibrate.Truth, error) {
	text, err := readWhole(file, maxLabels)
	if err != nil {
		return nil, err
	}
	return calibrate.Parse([]byte(text))
}

// readSnapshot reads a file that holds one server. Parts of it that could not be read are
// problems.
func readSnapshot(file string) (*catalog.Server, []finding.Problem, error) {
	text, err := readWhole(file, catalog.DefaultBytes)
	if err != nil {
		return nil, nil, err
	}
	c, err := catalog.Parse(file, text, catalog.Limits{})
	if err != nil {
		return nil, nil, err
	}
	if len(c.Servers) != 1 {
		return nil, nil, fmt.Errorf("want one server, there are %d", len(c.Servers))
	}
	return c.Servers[0], c.Problems, nil
}

// readWhole reads a file of at most limit bytes.
func readWhole(file string, limit int) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readUpTo(f, 0, limit)
}
