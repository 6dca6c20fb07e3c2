package report

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// suppressed lists every accepted finding: nothing is hidden silently.
func (p *page) suppressed(fs []result.Suppressed) {
	if len(fs) == 0 {
		return
	}
	p.heading("Suppressed", "  accepted by a person; not for the gate")
	for i := range fs {
		f, d := &fs[i].Finding, &fs[i].Decision
		p.writeIndented(2, p.dim(fmt.Sprintf("%-8s", strings.ToUpper(f.Severity.String()))), "  ", Visible(string(f.Rule)), "  ", clipText(Visible(f.Name), p.width/3))
		p.painted(4, "in:", Visible(inWords(&f.Location)), p.dim)
		p.labelled(4, "reason:", Visible(decision(d)))
		p.painted(4, "by:", Visible(fmt.Sprintf("%s:%d", d.File, d.Line)), p.dim)
	}
	p.writeBlank()
}

// decisions lists unused suppressions, which deserve review.
func (p *page) decisions(ds []result.Suppression) {
	said := false
	for i := range ds {
		d := &ds[i]
		if d.State == result.Used {
			continue
		}
		if !said {
			p.heading("Suppressions not used", "")
			said = true
		}
		p.labelled(2, Visible(string(d.State)), Visible(unused(d)))
		p.painted(2, "", Visible(fmt.Sprintf("%s:%d", d.File, d.Line)), p.dim)
	}
	if said {
		p.writeBlank()
	}
}

// decision says why, by whom and until when a finding was accepted. The result is not Visible yet.
func decision(d *result.Decision) string {
	text := strings.TrimSpace(d.Reason)
	if d.Owner != "" {
		text += " (" + d.Owner + ")"
	}
	if d.Expires != "" {
		text += ", until " + d.Expires
	}
	return text
}

// unused explains why a suppression covers nothing. The result is not Visible yet.
func unused(d *result.Suppression) string {
	text := string(d.Rule) + " " + d.Fingerprint
	if d.Definition != "" {
		text += " (" + d.Definition + ")"
	}
	return text + ": " + d.Detail
}

// inWords names a definition with its server and file. The result is not Visible yet.
func inWords(l *finding.Location) string {
	text := itemTitle(l)
	switch {
	case l.Server != "":
		text += " of " + l.Server
	case l.Kind == "" && l.Item == "": // a place in a file that is not a server
		text = ""
	}
	return strings.TrimSpace(text + "  " + describeLocation(l, true))
}
