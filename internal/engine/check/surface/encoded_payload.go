package surface

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/text"
)

var _ = register(check.Check{
	ID: "SEC-004", Name: "encoded-payload", Severity: finding.Medium, Maturity: check.Stable,
	Taxonomy: "MCP03:2025 close, ASI01 weak, CWE-1427 weak, CWE-506 weak, AML.T0068 close, SAFE-T1402 close, L6 close, L3 weak",
	Axis:     "tool-poisoning", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A definition contains a long base64 or hex blob, or another encoded text, that holds more than data.

An encoding hides an instruction or a command from the person who approves the tool but not from the model,
which decodes base64 without being asked.

A blob is reported when it decodes to instructions (as SEC-001 to SEC-003 and SEC-006 read them), to a shell
command or to a script. It is also reported when it is 200 characters or longer, appears in prose and decodes
to nothing readable. Percent, entity and JSON escapes and spaced letters are decoded too, one level deep.

Not reported: hashes, identifiers, keys (see SEC-008), data URIs, images, certificates and signatures, samples
announced as such, and blobs that decode to harmless text or JSON.`,
	Advice:  "Write the text out, or remove the blob. Put sample data into an example that is marked as one.",
	RunItem: encodedPayload,
})

func encodedPayload(it *check.Item) {
	for i := range it.Fields {
		f := &it.Fields[i]
		if len(f.Text.Blobs) == 0 {
			continue
		}
		orders := map[int]bool{} // starts of blobs that decode to a directive
		for _, d := range f.Text.Directives {
			orders[d.Start] = orders[d.Start] || d.Decoded
		}
		for j := range f.Text.Blobs {
			b := &f.Text.Blobs[j]
			if what := payload(f, b, orders[b.Start]); what != "" {
				it.Report(check.Report{Field: f, Start: b.Start, End: b.End, Normalized: b.Decoded,
					Message: fmt.Sprintf("%s contains %d bytes of %s that %s", where(f), b.End-b.Start, b.Encoding, what)})
			}
		}
	}
}

// long is the minimum length in bytes of an undecodable blob that is reported: longer than any hash, key id or
// signature in documentation.
const long = 200

// payload describes a smuggled directive, "" for honest data such as hashes, ids and samples.
func payload(f *check.Field, b *text.Blob, order bool) string {
	if order {
		return "decode to an order to the model"
	}
	switch {
	case b.Encoding == "spaced letters" || b.Encoding == "percent":
		return ""
	case text.Command(b.Decoded):
		return "decode to a command"
	case f.Sort.Prose() && b.Decoded == "" && b.End-b.Start >= long && !media(f.Text.Raw, b):
		return "decode to nothing readable"
	}
	return ""
}

// media reports whether a blob is introduced as data (a data URI, a quoted example after "e.g.") or begins like an
// image, font, archive or certificate.
func media(s string, b *text.Blob) bool {
	before := s[max(0, b.Start-40):b.Start]
	for _, sign := range []string{"base64,", "data:", "BEGIN ", "e.g", "xample", "ssh-", "sha256", "sha512", "sha384"} {
		if strings.Contains(before, sign) {
			return true
		}
	}
	for _, magic := range []string{"\x89PNG", "\xff\xd8\xff", "GIF8", "RIFF", "%PDF", "PK\x03\x04", "\x1f\x8b", "\x30\x82", "wOFF", "OTTO", "<svg", "BM"} {
		if strings.HasPrefix(b.Head, magic) {
			return true
		}
	}
	return false
}
