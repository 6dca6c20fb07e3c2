package result

import "gauntlet/finding"

// A Vetting is the result for one package or server that was examined before it is installed. Its
// findings are among the findings of the report.
type Vetting struct {
	Target string `json:"target"` // as the user named it, without secrets
	// Kind is "npm", "pypi", "go", "git", "mcpb", "oci", "directory", "command" or "url".
	Kind    string `json:"kind"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Verdict is the line for a person who has to decide, and Reasons why it is so.
	Verdict VettingVerdict `json:"verdict"`
	Reasons []string       `json:"reasons"`
	// Depth is the deepest level that was reached: "behaviour", "source", "definitions", or "" for none.
	Depth string `json:"depth,omitempty"`
	// Steps are what was done in this order, and what was not, with the reason.
	Steps   []VettingStep `json:"steps"`
	Package *Package      `json:"package,omitempty"` // nil for what is no package
	// Start is the command that started the server, and Placeholders the variables of its environment
	// that were given values without a meaning since it did not start without them.
	Start        []string `json:"start,omitempty"`
	Placeholders []string `json:"placeholders,omitempty"`
	// Changes say what differs from the older version that the user named; nil unless one was.
	Changes []string `json:"changes,omitempty"`
	// Findings are the fingerprints of what was found in it.
	Findings []string `json:"findings,omitempty"`
}

// A VettingVerdict is the verdict of a vetting.
type VettingVerdict string

// The verdicts. They follow from the severest finding and from what was read.
const (
	Refuse  VettingVerdict = "refuse"  // a finding of severity high or above
	Review  VettingVerdict = "review"  // a finding of severity medium, or a part of what was asked for is undone
	Accept  VettingVerdict = "accept"  // nothing of severity medium or above was found, and nothing is undone
	Unknown VettingVerdict = "unknown" // nothing was read that a verdict could rest on
)

// A VettingStep is one thing that a vetting does. State is "done", "skipped" (nobody asked for it, or this kind of
// target has nothing of it), "not_done" (it was asked for and could not be tried, for instance since this machine has
// no sandbox) or "failed". The last two make the report incomplete, see [Report.Undone].
type VettingStep struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail,omitempty"`
}

// The states of a step.
const (
	StepDone    = "done"
	StepSkipped = "skipped"
	StepNotDone = "not_done"
	StepFailed  = "failed"
)

// A Package is what is known about a package before any of it runs.
type Package struct {
	Origin    string `json:"origin,omitempty"`    // the registry or repository, without secrets
	Digest    string `json:"digest,omitempty"`    // "sha256:" and hexadecimal digits, of the archive as it came
	Integrity string `json:"integrity,omitempty"` // what the archive was compared with; "" for nothing
	// Mismatch is how the archive differs from what its registry says of it; "" where it does not.
	Mismatch   string `json:"mismatch,omitempty"`
	Provenance string `json:"provenance,omitempty"` // of an attestation that the registry has; it is not verified here
	Published  string `json:"published,omitempty"`  // RFC 3339; "" where nobody says
	AgeDays    int    `json:"age_days,omitempty"`   // since then, when it was vetted
	Deprecated string `json:"deprecated,omitempty"` // what its registry says of that
	// Maintainers are those that the registry names.
	Maintainers []string `json:"maintainers,omitempty"`
	// Direct is how many packages it asks for by itself, Installed how many there are with theirs.
	Direct    int `json:"direct_dependencies"`
	Installed int `json:"installed_dependencies"`
	Files     int `json:"files"`
	Bytes     int `json:"bytes"` // unpacked
	// Scripts are what would run during an installation, of the package and of what it depends on.
	Scripts []InstallScript `json:"install_scripts,omitempty"`
	// Odd are dependencies of which more is to be said than a name and version of the registry.
	Odd []OddDependency `json:"odd_dependencies,omitempty"`
	// Faults are entries of the archive that nothing honest has, or that were not unpacked.
	Faults []ArchiveFault `json:"archive_faults,omitempty"`
	// Imitates is a well-known name that this one looks like.
	Imitates *Likeness `json:"imitates,omitempty"`
	// Advisories are known vulnerabilities of the package and of what it depends on.
	Advisories []PackageAdvisory `json:"advisories,omitempty"`
}

// An InstallScript is a command that an installation would run. None is run.
type InstallScript struct {
	Package string `json:"package"` // name and version
	Event   string `json:"event"`   // "preinstall", "install", "postinstall"
	Command string `json:"command,omitempty"`
	Own     bool   `json:"own"` // it is the package's own and not that of a dependency
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// An OddDependency is one that is not simply a version of a package of the registry.
type OddDependency struct {
	// Kind is "address" (it comes from elsewhere than the registry), "manifest" (the registry says other than the
	// archive), "bundled" (it comes inside another archive), "unverified" (no hash is known of it) or "absent" (it
	// is not installed on this system).
	Kind    string `json:"kind"`
	Package string `json:"package"` // its name, and its version where one is known
	Detail  string `json:"detail"`
}

// The kinds of odd dependencies.
const (
	OddAddress    = "address"
	OddManifest   = "manifest"
	OddBundled    = "bundled"
	OddUnverified = "unverified"
	OddAbsent     = "absent"
)

// An ArchiveFault is one entry of an archive, or the archive as a whole.
type ArchiveFault struct {
	// Kind is "outside" (a path that leaves the archive), "link" (a link that does), "special" (a device
	// or a pipe), "bomb" (it unpacks to far more than its size), "limit" (it is larger than what is unpacked)
	// or "broken".
	Kind   string `json:"kind"`
	Path   string `json:"path,omitempty"`
	Detail string `json:"detail"`
}

// The kinds of fault.
const (
	FaultOutside = "outside"
	FaultLink    = "link"
	FaultSpecial = "special"
	FaultBomb    = "bomb"
	FaultLimit   = "limit"
	FaultBroken  = "broken"
)

// Hostile reports whether such an entry occurs only in archives made to do harm.
func (f ArchiveFault) Hostile() bool {
	return f.Kind == FaultOutside || f.Kind == FaultLink || f.Kind == FaultSpecial || f.Kind == FaultBomb
}

// A Likeness is a well-known name that another name resembles.
type Likeness struct {
	Name string `json:"name"`
	How  string `json:"how"`
	// Severity is how sure it is that one is to be taken for the other.
	Severity finding.Severity `json:"severity"`
}

// A PackageAdvisory is a known vulnerability of a package in the version that was found.
type PackageAdvisory struct {
	ID       string           `json:"id"`
	Aliases  []string         `json:"aliases,omitempty"`
	Package  string           `json:"package"`
	Version  string           `json:"version"`
	Summary  string           `json:"summary,omitempty"`
	Fixed    string           `json:"fixed,omitempty"` // the first version without it
	Severity finding.Severity `json:"severity"`
	Own      bool             `json:"own"` // it is about the package itself and not about a dependency
}
