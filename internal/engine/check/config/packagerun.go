package config

import "strings"

// A PackageRun is a package that an entry fetches and starts through a package runner.
type PackageRun struct {
	Ecosystem string // "npm", "pypi", "oci" or "go"
	Text      string // as given to the runner: "name@1.2.3"
	Args      []string
}

// RunsPackage returns the package that an entry fetches and starts; false if it starts something else or several
// packages. The arguments are those after the package.
func RunsPackage(e *Entry) (PackageRun, bool) {
	l := launched(e)
	all := specs(l)
	if len(all) != 1 || all[0].text == "" || local(all[0].text) || refers(all[0].text) {
		return PackageRun{}, false
	}
	s := all[0]
	run := PackageRun{Ecosystem: map[ecosystem]string{npm: "npm", pypi: "pypi", image: "oci", golang: "go"}[s.kind], Text: s.text}
	for i, a := range l.args {
		if !strings.HasSuffix(a.text, s.text) {
			continue
		}
		rest := l.args[i+1:]
		if a.text != s.text || i > 0 && strings.HasPrefix(l.args[i-1].text, "-") && named(l.args[i-1].text) {
			if len(rest) == 0 { // --from PACKAGE without a program
				return run, true
			}
			rest = rest[1:] // the package's program
		}
		for _, w := range rest {
			run.Args = append(run.Args, w.text)
		}
		break
	}
	return run, true
}

// named reports whether an option names the package, so that one of its programs follows.
func named(option string) bool {
	return option == "-p" || option == "--package" || option == "--from" || option == "--spec"
}
