package config

import (
	"path"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/acts"
	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/lazyregexp"
)

// A settingRule is about a risky setting of one or more clients.
type settingRule struct {
	// keys are lower-case patterns of slash-separated names, with * for any one name; a pattern matches the end of the
	// path. Names with dots, as in VS Code, are paths, too.
	keys     string
	value    *lazyregexp.Regexp
	severity finding.Severity
	says     string
}

// way returns a setting's path as rules name it: mcpServers.s.autoApprove[0] is mcpservers/s/autoapprove/.
func (s *Setting) way() string {
	return strings.ToLower(strings.ReplaceAll(strings.Join(s.Keys, "/"), ".", "/"))
}

// Fits reports whether one of the patterns, separated by spaces, matches the end of the setting's path.
func (s *Setting) Fits(keys string) bool { return endsInAny(s.way(), strings.Fields(keys)...) }

// endsIn reports whether the end of a path matches a pattern. A pattern that begins with a slash matches a whole path.
func endsIn(way, pattern string) bool {
	n := strings.Count(pattern, "/") + 1
	parts := strings.Split("/"+way, "/")
	if len(parts) < n {
		return false
	}
	ok, _ := path.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return ok
}

// endsInAny reports whether the end of a path matches one of the patterns.
func endsInAny(way string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return endsIn(way, pattern) })
}

// eachSetting calls judge for every setting of the files.
func (p *Pass) eachSetting(judge func(file int, s *Setting, way string)) {
	for i := range p.Files {
		for j := range p.Files[i].Settings {
			s := &p.Files[i].Settings[j]
			judge(i, s, s.way())
		}
	}
}

// entryOf returns the entry that a setting belongs to, nil for none.
func (f *File) entryOf(s *Setting) *Entry {
	for i := range f.Entries {
		if e := &f.Entries[i]; strings.HasPrefix(s.Value.Place.Pointer, e.Place.Pointer+"/") {
			return e
		}
	}
	return nil
}

// HasSettings reports whether a configuration has more than servers.
func (f *File) HasSettings() bool {
	return slices.ContainsFunc(f.Settings, func(s Setting) bool { return f.entryOf(&s) == nil })
}

// reportSettings judges all settings by rules. A setting has one finding, by the first matching rule.
func (p *Pass) reportSettings(rules []settingRule, soften bool) {
	keys := make([][]string, len(rules))
	for i := range rules {
		keys[i] = strings.Fields(rules[i].keys)
	}
	p.eachSetting(func(file int, s *Setting, way string) {
		value := s.Value.Reveal()
		for i := range rules {
			r := &rules[i]
			if !r.value.MatchString(value) || !endsInAny(way, keys[i]...) {
				continue
			}
			e := p.Files[file].entryOf(s)
			if r.says != "" && (e == nil || !e.Disabled) {
				severity := r.severity
				if soften {
					severity = p.Files[file].soften(severity)
				}
				p.Report(Report{File: file, Entry: e, At: s.Value.Place, Evidence: settingText(s), Severity: severity, Message: r.says})
			}
			return
		}
	})
}

// soften lowers the severity of a setting that matters less: a skill or command names tools that are allowed while it
// is used; a list of denials limits what is allowed; a local file is one user's own choice.
func (f *File) soften(severity finding.Severity) finding.Severity {
	denies := slices.ContainsFunc(f.Settings, func(s Setting) bool { return endsIn(s.way(), "permissions/deny/") })
	if severity == finding.High && (f.Role != Configuration || denies || strings.HasSuffix(f.Path, ".local.json")) {
		return finding.Medium
	}
	return severity
}

func settingText(s *Setting) string {
	return lastName(s.Keys) + ": " + s.Value.Reveal()
}

// strangeAddress reports whether a value has an address that is neither local nor a known vendor's.
func strangeAddress(value string) bool {
	for rest := value; ; {
		at := strings.Index(rest, "://")
		if at < 0 {
			return false
		}
		start := strings.LastIndexAny(rest[:at], " \t\n\"'`(=<") + 1
		end := len(rest)
		if n := strings.IndexAny(rest[at+3:], " \t\n\"'`)<>|;"); n >= 0 {
			end = at + 3 + n
		}
		if address := rest[start:end]; !refers(address) && hostscope.OfURL(address) == hostscope.Public && !acts.Known(address) {
			return true
		}
		rest = rest[end:]
	}
}
