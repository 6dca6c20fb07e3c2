package fetch

import (
	"bufio"
	"bytes"
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
	found, _ := filepath.Glob(filepath.Join(tree, "*.pth")) // the patterns are well-formed
	for _, name := range []string{"sitecustomize", "usercustomize"} {
		files, _ := filepath.Glob(filepath.Join(tree, name+".*"))
		folders, _ := filepath.Glob(filepath.Join(tree, name, "__init__.*"))
		found = slices.Concat(found, files, folders)
	}
	for _, file := range found {
		rel, err := filepath.Rel(tree, file)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		s := result.InstallScript{Package: ownerOf(tree, rel), Event: everyStart, Command: rel, File: rel}
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
		if s.Own = s.Package == "" || normalName(strings.Split(s.Package, "@")[0]) == normalName(p.Name); s.Own {
			s.Package = p.Label
		}
		if !slices.Contains(p.Facts.Scripts, s) { // its own ones are told from its archive
			p.addScripts(s)
		}
	}
}

// ownerOf returns the package whose list of installed files has one, as name@version, "" for none.
func ownerOf(tree, file string) string {
	lists, _ := filepath.Glob(filepath.Join(tree, "*.dist-info", "RECORD"))
	for _, list := range lists {
		text, err := readSmall(list)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			if name, _, _ := strings.Cut(lines.Text(), ","); name == file {
				pkg, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(filepath.Dir(list)), ".dist-info"), "-")
				return strings.ReplaceAll(pkg, "_", "-") + "@" + version
			}
		}
	}
	return ""
}
