package sandbox

import (
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// resolve answers a query for a name and records it. It returns nil for what is no query; whole says that the query
// has nothing in it beside its question.
func (o *outlet) resolve(query []byte, network string) (answer []byte, whole bool) {
	answer, q, whole := answerQuery(query, o.names)
	if answer == nil {
		return nil, false
	}
	if o.names.isFull() {
		o.limit("more names were looked up than are told apart")
	}
	name := strings.TrimSuffix(q.Name.String(), ".")
	host, inner := name, name
	if labels := strings.Split(name, "."); len(labels) > 2 { // what is below the domain may be pieces
		inner = strings.Join(labels[:len(labels)-2], ".")
	}
	found := o.finder.Names(name)
	if again := o.lookedUp.Swap(&q); again == nil || again.Name != q.Name || again.Type == q.Type { // once for both kinds of addresses
		found = union(found, o.piece(host, inner, 0))
	}
	o.record(Event{Kind: Lookup, Host: name, Method: strings.TrimPrefix(q.Type.String(), "Type"), Network: network, Canaries: found})
	return answer, whole
}

// answerQuery answers a query as a resolver would to which every name exists. It returns nil for what is no query. whole
// reports whether the query is a question and an empty list of options, and nothing else.
func answerQuery(query []byte, table *nameTable) (answer []byte, q dnsmessage.Question, whole bool) {
	var p dnsmessage.Parser
	head, err := p.Start(query)
	if err != nil || head.Response {
		return nil, q, false
	}
	if q, err = p.Question(); err != nil {
		return nil, q, false
	}
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: head.ID, Response: true, RecursionDesired: head.RecursionDesired, RecursionAvailable: true})
	b.EnableCompression()
	if b.StartQuestions() != nil || b.Question(q) != nil || b.StartAnswers() != nil || addAnswer(&b, q, q.Name.String(), table) != nil {
		return nil, q, false
	}
	if answer, err = b.Finish(); err != nil {
		return nil, q, false
	}
	return answer, q, isPlain(query, q)
}

// isPlain reports whether a query has but its question in it, and at most the record that says how long an answer may
// be (EDNS), without options.
func isPlain(query []byte, q dnsmessage.Question) bool {
	const head, types, noOptions = 12, 4, 11
	n := head + len(q.Name.String()) + 1 + types
	if q.Name.Length == 1 { // the root
		n--
	}
	records := func(i int) int { return int(query[i])<<8 | int(query[i+1]) }
	if len(query) < n || records(4) != 1 || records(6) != 0 || records(8) != 0 {
		return false
	}
	switch rest := query[n:]; records(10) {
	case 0:
		return len(rest) == 0
	case 1:
		return len(rest) == noOptions && rest[0] == 0 && rest[1] == 0 && rest[2] == byte(dnsmessage.TypeOPT) && rest[9] == 0 && rest[10] == 0
	}
	return false
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

func reverseAddress(name string) (netip.Addr, bool) {
	parts := strings.Split(strings.TrimSuffix(cleanName(name), ".in-addr.arpa"), ".")
	if len(parts) != 4 {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(parts[3] + "." + parts[2] + "." + parts[1] + "." + parts[0])
	return a, err == nil
}
