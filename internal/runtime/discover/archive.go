package discover

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/lazyregexp"
)

// Limits on one archive.
const (
	maxMembers  = 2_000
	maxUnpacked = 64 << 20
	maxNested   = 3
)

// packed reports whether a file is a zip archive, including Office documents and extensions.
func packed(_ string, data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// readArchive reads an archive's members like a folder. Their paths follow the archive's.
func readArchive(name string, data []byte, hint Hint, depth int) []config.File {
	unread := func(why string) []config.File { return []config.File{failedAs(finding.Unread, name, hint, why)} }
	if depth > maxNested {
		return []config.File{failedAs(finding.Limit, name, hint, "archives nested too deeply to be read")}
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return unread("the archive cannot be read")
	}
	var out []config.File
	left := maxUnpacked
	for i, m := range z.File {
		at := name + "!/" + strings.TrimPrefix(slashed(m.Name), "/")
		switch {
		case i >= maxMembers, left <= 0:
			return append(out, failedAs(finding.Limit, name, hint, fmt.Sprintf("more than %d files or %d MB in it: the rest was not read", maxMembers, maxUnpacked>>20)))
		case m.FileInfo().IsDir():
			continue
		}
		h, ok := memberHint(m.Name, name, hint)
		if !ok {
			continue
		}
		text, err := unpackMember(m, left)
		if err != nil {
			out = append(out, failedAs(finding.Unread, at, h, "it cannot be unpacked"))
			continue
		}
		left -= len(text)
		if packed(at, text) {
			out = append(out, readArchive(at, text, h, depth+1)...)
			continue
		}
		if isDocument(name) {
			text = []byte(documentText(string(text)))
		}
		out = append(out, Read(at, text, h))
	}
	if len(out) == 0 && !isDocument(name) {
		return unread("nothing in the archive is a file for an agent")
	}
	return out
}

func unpackMember(m *zip.File, limit int) ([]byte, error) {
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(r, int64(limit)+1))
}

func isDocument(name string) bool {
	return ends(name, ".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".pptm", ".odt", ".ods", ".odp")
}

// memberHint returns a member's role for an agent, or false.
func memberHint(member, archive string, hint Hint) (Hint, bool) {
	h := hint
	h.Optional = true
	switch {
	case isDocument(archive):
		h.Role = config.SkillFile
		return h, strings.HasSuffix(member, ".xml") && !strings.Contains(member, "theme") && !strings.Contains(member, "styles") && !strings.HasPrefix(member, "docProps/app")
	case ends(archive, ".mcpb", ".dxt"):
		h.Role = config.Configuration
		if member != "manifest.json" {
			h.Role = roleWithin(member, config.Script)
			return h, h.Role == config.Script && !strings.Contains(member, "node_modules/")
		}
		return h, true
	}
	h.Role = roleWithin(member, config.Skill)
	return h, true
}

var markup = lazyregexp.New(`<[^>]*>`)

// documentText returns the text of a document's XML, one paragraph per line.
func documentText(s string) string {
	s = strings.NewReplacer("</w:p>", "\n", "</a:p>", "\n", "</text:p>", "\n", "</row>", "\n", "</si>", "\n").Replace(s)
	s = markup.ReplaceAllString(s, "")
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&").Replace(s)
}
