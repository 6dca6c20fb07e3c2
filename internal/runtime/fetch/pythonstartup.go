package fetch

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gauntlet/result"
)

// everyStart is the event of code that Python runs whenever it starts, from whatever is installed.
const everyStart = "every start of Python"

// runsInPth matches the lines of a .pth file that Python's site module executes instead of taking them for a folder.
var runsInPth = regexp.MustCompile(`(?m)^import[ \t].*`)

// noteStartup notes what in a tree of installed packages Python runs at each of its starts, before any program asks for it: lines of
// .pth files, sitecustomize and usercustomize. They have the weight of an install script.
func (p *Fetched) noteStartup(tree string) {
	var found []string
	for _, pattern := range []string{"sitecustomize.*", "usercustomize.*", "sitecustomize/__init__.*", "usercustomize/__init__.*", "*.pth"} {
		files, _ := filepath.Glob(filepath.Join(tree, filepath.FromSlash(pattern))) // the patterns are well-formed
		found = append(found, files...)
	}
	if len(found) == 0 {
		return
	}
	owners, noted := ownersIn(tree), 0
	for _, file := range found {
		rel, err := filepath.Rel(tree, file)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		s := result.InstallScript{Package: owners[rel], Event: everyStart, Command: rel, File: rel}
		if strings.HasSuffix(rel, ".pth") {
			text, err := readSmall(file)
			line := runsInPth.Find(text)
			if err == nil && line == nil {
				continue // it names folders
			}
			if err == nil {
				s.Command = strings.TrimSpace(string(line))
			}
		}
		if noted++; noted > maxScripts {
			p.odd(result.OddUnverified, p.Label, fmt.Sprintf("it has Python run more than %d files at each start; the others are not listed", maxScripts))
			return
		}
		if s.Own = s.Package == "" || normalName(strings.Split(s.Package, "@")[0]) == normalName(p.Name); s.Own {
			s.Package = p.Label
		}
		if !slices.Contains(p.Facts.Scripts, s) { // its own ones are told from its archive
			p.addScripts(s)
		}
	}
}

// ownersIn returns the package, as name@version, that brings each file which Python may run at its start, by the lists of installed
// files.
func ownersIn(tree string) map[string]string {
	out := map[string]string{}
	lists, _ := filepath.Glob(filepath.Join(tree, "*.dist-info", "RECORD"))
	for _, list := range lists {
		text, err := readSmall(list)
		if err != nil {
			continue
		}
		pkg, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(filepath.Dir(list)), ".dist-info"), "-")
		for line := range strings.Lines(string(text)) {
			if name, _, _ := strings.Cut(line, ","); strings.HasSuffix(name, ".pth") || strings.Contains(name, "customize") {
				out[name] = strings.ReplaceAll(pkg, "_", "-") + "@" + version
			}
		}
	}
	return out
}
