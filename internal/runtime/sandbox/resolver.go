package sandbox

import (
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// answerQuery answers a query as a resolver would to which every name exists. asked is told each
// name. It returns nil for what is no query.
func answerQuery(query []byte, table *nameTable, asked func(name, kind string)) []byte {
	var p dnsmessage.Parser
	head, err := p.Start(query)
	if err != nil || head.Response {
		return nil
	}
	q, err := p.Question()
	if err != nil {
		return nil
	}
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: head.ID, Response: true, RecursionDesired: head.RecursionDesired, RecursionAvailable: true})
	b.EnableCompression()
	if b.StartQuestions() != nil || b.Question(q) != nil || b.StartAnswers() != nil {
		return nil
	}
	name := q.Name.String()
	asked(name, strings.TrimPrefix(q.Type.String(), "Type"))
	if addAnswer(&b, q, name, table) != nil {
		return nil
	}
	out, err := b.Finish()
	if err != nil {
		return nil
	}
	return out
}

// addAnswer adds the records for a question; for kinds that are not known here there are none.
func addAnswer(b *dnsmessage.Builder, q dnsmessage.Question, name string, table *nameTable) error {
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60}
	switch q.Type {
	case dnsmessage.TypeA, dnsmessage.TypeALL:
		if a := table.addressOf(name).Unmap(); a.Is4() {
			return b.AResource(head, dnsmessage.AResource{A: a.As4()})
		}
	case dnsmessage.TypeAAAA:
		if a := table.addressOf(name); a.Is6() && !a.Is4In6() {
			return b.AAAAResource(head, dnsmessage.AAAAResource{AAAA: a.As16()})
		}
	case dnsmessage.TypeMX:
		return b.MXResource(head, dnsmessage.MXResource{Pref: 10, MX: q.Name})
	case dnsmessage.TypePTR:
		if a, ok := reverseAddress(name); ok {
			host, err := dnsmessage.NewName(table.nameOf(a) + ".")
			if err == nil {
				return b.PTRResource(head, dnsmessage.PTRResource{PTR: host})
			}
		}
	}
	return nil
}

// reverseAddress reads a name below in-addr.arpa.
func reverseAddress(name string) (netip.Addr, bool) {
	parts := strings.Split(strings.TrimSuffix(cleanName(name), ".in-addr.arpa"), ".")
	if len(parts) != 4 {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(parts[3] + "." + parts[2] + "." + parts[1] + "." + parts[0])
	return a, err == nil
}

// nameWatch finds canaries in names that are asked for, also those that are spread over the
// labels of one name or over several names below one domain.
type nameWatch struct {
	finder  canaryFinder
	domains map[string]*spreadNames
}

// spreadNames is what was asked for below a domain.
type spreadNames struct {
	last string
	// all are the labels one behind the other; long the same without short ones, which number the
	// pieces of a value.
	all, long string
	told      map[string]bool
}

const (
	maxDomains = 1000
	maxSpread  = 16 << 10
	shortLabel = 3
)

func newNameWatch(f canaryFinder) *nameWatch {
	return &nameWatch{finder: f, domains: map[string]*spreadNames{}}
}

// look returns the canaries in a name, each once for a domain.
func (w *nameWatch) look(name string) (found []string) {
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	if len(labels) < 3 {
		return w.finder.find(name)
	}
	cut := len(labels) - 2
	domain := cleanName(strings.Join(labels[cut:], "."))
	d := w.domains[domain]
	if d == nil {
		if len(w.domains) >= maxDomains {
			return w.finder.find(name)
		}
		d = &spreadNames{told: map[string]bool{}}
		w.domains[domain] = d
	}
	if name == d.last { // once for each kind of record
		return nil
	}
	d.last = name
	d.add(labels[:cut])
	for _, text := range []string{name, d.all, d.long} {
		for _, c := range w.finder.find(text) {
			if !d.told[c] {
				d.told[c] = true
				found = append(found, c)
			}
		}
	}
	return found
}

func (d *spreadNames) add(labels []string) {
	for _, l := range labels {
		d.all += l
		if len(l) > shortLabel {
			d.long += l
		}
	}
	d.all, d.long = d.all[max(0, len(d.all)-maxSpread):], d.long[max(0, len(d.long)-maxSpread):]
}
