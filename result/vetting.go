package result

import (
	"gauntlet/finding"
)

// A Vetting is the examination of a package or server before installation. Its findings are among the report's.
type Vetting struct {
	Target string `json:"target"` // as named by the user, without secrets
	// Kind is "npm", "pypi", "go", "git", "mcpb", "oci", "directory", "command" or "url".
	Kind    string `json:"kind"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Verdict is the recommendation, with its Reasons.
	Verdict VettingVerdict `json:"verdict"`
	Reasons []string       `json:"reasons"`
	// Depth is the deepest level reached: "behaviour", "source", "definitions", or "" for none.
	Depth string `json:"depth,omitempty"`
	// Steps lists what was done, in order, and what was not, with the reason.
	Steps   []VettingStep `json:"steps"`
	Package *Package      `json:"package,omitempty"` // nil if it is not a package
	// Start is the command that started the server, and Placeholders the environment variables that had to be given dummy values for it.
	Start        []string `json:"start,omitempty"`
	Placeholders []string `json:"placeholders,omitempty"`
	// Changes are the differences from an older version that the user named; nil if none was.
	Changes []string `json:"changes,omitempty"`
	// Findings are the fingerprints of its findings.
	Findings []string `json:"findings,omitempty"`
}

// A VettingVerdict is the recommendation of a vetting.
type VettingVerdict string

// The verdicts. They follow from the severest finding and from what was read.
const (
	Refuse  VettingVerdict = "refuse"  // a finding of severity high or above
	Review  VettingVerdict = "review"  // a finding of severity medium, or part of the request is undone
	Accept  VettingVerdict = "accept"  // nothing of severity medium or above, and nothing undone
	Unknown VettingVerdict = "unknown" // nothing was read to base a verdict on
)

// A VettingStep is a step of a vetting. State is "done", "skipped" (not requested, or not applicable to the target),
// "not_done" (requested but impossible, for instance because this machine has no sandbox) or "failed". The last two
// make the report incomplete, see [Report.Undone].
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

// A Package is what is known about a package before it runs.
type Package struct {
	Origin    string `json:"origin,omitempty"`    // registry or repository, without secrets
	Digest    string `json:"digest,omitempty"`    // "sha256:" and hexadecimal digits, of the archive as received
	Integrity string `json:"integrity,omitempty"` // what the archive was checked against; "" for nothing
	// Mismatch says how the archive differs from its registry entry; "" if it does not.
	Mismatch   string `json:"mismatch,omitempty"`
	Provenance string `json:"provenance,omitempty"` // from the registry's attestation, which is not verified here
	Published  string `json:"published,omitempty"`  // RFC 3339; "" if unknown
	AgeDays    int    `json:"age_days,omitempty"`   // since Published, at the time of vetting
	Deprecated string `json:"deprecated,omitempty"` // the registry's deprecation message
	// Maintainers are those listed by the registry.
	Maintainers []string `json:"maintainers,omitempty"`
	// Direct counts the direct dependencies, Installed also the transitive ones.
	Direct    int `json:"direct_dependencies"`
	Installed int `json:"installed_dependencies"`
	Files     int `json:"files"`
	Bytes     int `json:"bytes"` // unpacked
	// Scripts would run during installation, for the package and its dependencies.
	Scripts []InstallScript `json:"install_scripts,omitempty"`
	// Odd are dependencies that are not simply a version from the registry.
	Odd []OddDependency `json:"odd_dependencies,omitempty"`
	// Faults are archive entries that no honest package has, or that were not unpacked.
	Faults []ArchiveFault `json:"archive_faults,omitempty"`
	// Imitates is a well-known name that this name resembles.
	Imitates *Likeness `json:"imitates,omitempty"`
	// Advisories are known vulnerabilities of the package and its dependencies.
	Advisories []PackageAdvisory `json:"advisories,omitempty"`
}

// An InstallScript is a command that an installation would run. We never run it.
type InstallScript struct {
	Package string `json:"package"` // name and version
	Event   string `json:"event"`   // "preinstall", "install", "postinstall"; of a folder also "prepare" and what belongs to it; "build"
	Command string `json:"command,omitempty"`
	Own     bool   `json:"own"` // the package's own, not a dependency's
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// An OddDependency is a dependency that is not simply a version from the registry.
type OddDependency struct {
	// Kind is "address" (from outside the registry), "manifest" (registry and archive differ), "bundled" (inside
	// another archive), "unverified" (no known hash), "absent" (not installed on this system), "alias" (under the name of
	// another package) or "free" (the registry does not have it).
	Kind    string `json:"kind"`
	Package string `json:"package"` // name, with version if known
	Detail  string `json:"detail"`
}

// The kinds of odd dependencies.
const (
	OddAddress    = "address"
	OddManifest   = "manifest"
	OddBundled    = "bundled"
	OddUnverified = "unverified"
	OddAbsent     = "absent"
	OddAlias      = "alias"
	OddFree       = "free"
)

// An ArchiveFault is about an entry of an archive, or the whole archive.
type ArchiveFault struct {
	// Kind is "outside" (a path that leaves the archive), "link" (a link that does), "special" (a device or pipe),
	// "bomb" (expands far beyond its size), "limit" (larger than we unpack) or "broken".
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

// Hostile reports whether such an entry occurs only in malicious archives.
func (f ArchiveFault) Hostile() bool {
	return f.Kind == FaultOutside || f.Kind == FaultLink || f.Kind == FaultSpecial || f.Kind == FaultBomb
}

// A Likeness is a well-known name that another name resembles.
type Likeness struct {
	Name string `json:"name"`
	How  string `json:"how"`
	// Severity reflects how likely the names are to be confused.
	Severity finding.Severity `json:"severity"`
}

// A PackageAdvisory is a known vulnerability of a package version.
type PackageAdvisory struct {
	ID       string           `json:"id"`
	Aliases  []string         `json:"aliases,omitempty"`
	Package  string           `json:"package"`
	Version  string           `json:"version"`
	Summary  string           `json:"summary,omitempty"`
	Fixed    string           `json:"fixed,omitempty"` // first fixed version
	Severity finding.Severity `json:"severity"`
	Own      bool             `json:"own"` // about the package itself, not a dependency
}

// An Advisory holds a model's opinions about definitions. They have no severity, cannot affect the gate, and nothing
// else in the report depends on them.
type Advisory struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt_version"` // version of the question
	Judged int    `json:"judged"`         // definitions with a usable answer
	// Findings are in the order of the definitions.
	Findings []AdvisoryFinding `json:"findings"`
	// Dropped counts statements with the wrong form or a quote that is not in the definition.
	Dropped int `json:"dropped"`
	// Unjudged are the definitions without a usable answer.
	Unjudged []NotJudged `json:"unjudged"`
	// Labels are the model's capabilities for tools that the classifier was unsure about; nil if it was not asked.
	Labels []InferredLabel `json:"inferred_labels,omitempty"`
}

// An InferredLabel is a tool capability in a model's opinion. No check reads it.
type InferredLabel struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	Tag    string `json:"tag"`
}

// An AdvisoryFinding is a model's statement about a definition.
type AdvisoryFinding struct {
	Threat     Threat           `json:"threat"`
	Location   finding.Location `json:"location"`
	Quote      string           `json:"quote"`      // from the definition
	Rationale  string           `json:"rationale"`  // in the model's words
	Confidence string           `json:"confidence"` // "high", "medium" or "low", according to the model
	// Escalate asks for human review: the model itself is unsure.
	Escalate bool `json:"escalate,omitempty"`
}

// A Threat is what a model is asked to look for.
type Threat string

// The threats.
const (
	SubtlePoisoning      Threat = "poisoning"             // text that would make an agent act against its user
	UnsupportedBehaviour Threat = "unsupported_behaviour" // the text promises what the schema or source lacks
	Persuasion           Threat = "persuasion"            // text that makes a model prefer the tool for reasons outside the task
)

// A NotJudged is a definition without a usable answer.
type NotJudged struct {
	Location finding.Location `json:"location"`
	Reason   string           `json:"reason"`
}
