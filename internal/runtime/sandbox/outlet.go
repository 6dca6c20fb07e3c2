package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gauntlet/internal/leaf/redact"
)

// An outlet sees every byte that leaves the sandbox, whatever protocol it belongs to, and searches it for canaries:
// each packet that is not TCP, and the bytes of each connection in their order. What no protocol here
// understands becomes an event of its own. The servers of protocols only answer.
type outlet struct {
	record    func(Event)
	call      func() string // the tool call that is under way
	finder    *redact.Redactor
	names     *nameTable
	searching chan struct{} // searches at a time: each takes many times the memory of what it searches
	heard     atomic.Int64  // bytes of connections
	turns     atomic.Int64  // connections and datagrams so far
	// lookedUp is the last question for a name.
	lookedUp atomic.Pointer[dnsmessage.Question]

	mu       sync.Mutex
	puzzle   *puzzle
	searched int
	limited  map[string]bool // limits that were told
}

// The bounds on what is searched.
const (
	maxSearchedInAll = 64 << 20 // bytes of one sandbox
	searchWindow     = 64 << 10 // of a connection at once
	searchOverlap    = 8 << 10  // bytes that are searched again with what follows: no canary in any encoding is longer
)

func newOutlet(record func(Event), call func() string, canaries []Canary, names *nameTable) *outlet {
	f := newCanaryFinder(canaries)
	return &outlet{record: record, call: call, finder: f, names: names, puzzle: newPuzzle(canaries, f), limited: map[string]bool{}, searching: make(chan struct{}, 2)}
}

// search returns the canaries in what is sent to a host at once, and those that it completes.
func (o *outlet) search(host, sent string, turn int64) []string {
	return union(o.searchPart(host, sent), o.piece(host, sent, turn))
}

// searchPart is search for a part of something, whose end means nothing.
func (o *outlet) searchPart(host, sent string) []string {
	o.mu.Lock()
	o.searched += len(sent)
	over := o.searched > maxSearchedInAll
	o.mu.Unlock()
	if over { // it is searched as it is, which takes no time
		o.limit(fmt.Sprintf("more was sent than is searched for canaries in every encoding (%d bytes)", maxSearchedInAll))
		return o.plain(sent)
	}
	o.searching <- struct{}{}
	found := o.puzzle.namesIn(sent)
	if plain := inflated([]byte(sent)); len(plain) >= redact.Shortest {
		found = union(found, o.puzzle.namesIn(plain))
	}
	<-o.searching
	o.mu.Lock()
	defer o.mu.Unlock()
	return union(found, o.puzzle.cover.add(o.puzzle.canaries, host, sent))
}

// plain returns the canaries that stand in a text as they are.
func (o *outlet) plain(text string) (found []string) {
	for i := range o.puzzle.canaries {
		if c := &o.puzzle.canaries[i]; c.Value != "" && strings.Contains(text, c.Value) {
			found = append(found, c.Name)
		}
	}
	return found
}

// piece returns the canaries that something completes which was searched by itself already.
func (o *outlet) piece(host, sent string, turn int64) []string {
	o.mu.Lock()
	found, full := o.puzzle.add(host, sent, turn), o.puzzle.full
	o.mu.Unlock()
	if full {
		o.limit("more pieces went to more domains than are put together")
	}
	return found
}

// limit records once that a limit was reached.
func (o *outlet) limit(text string) {
	o.mu.Lock()
	told := o.limited[text]
	o.limited[text] = true
	o.mu.Unlock()
	if !told {
		o.record(Event{Kind: Limit, Text: text})
	}
}

// union adds to a list what it does not have.
func union(list, more []string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// datagram records what was sent at once to an address.
func (o *outlet) datagram(network string, to netip.AddrPort, payload []byte) {
	o.sentAtOnce(network, to, payload, o.turns.Add(1))
}

func (o *outlet) sentAtOnce(network string, to netip.AddrPort, payload []byte, turn int64) {
	host := o.names.nameOf(to.Addr())
	o.record(Event{Kind: Data, Host: host, Addr: to.String(), Network: network, Text: string(payload[:min(len(payload), MaxText)]), Canaries: o.search(host, string(payload), turn)})
}

// givenUp records a connection that was begun and not made.
func (o *outlet) givenUp(to netip.AddrPort) {
	o.record(Event{Kind: Connection, Host: o.names.nameOf(to.Addr()), Addr: to.String(), Network: "tcp", Text: "begun and given up"})
}

// knock takes the port and the address of each connection and datagram, in their order: they can spell a canary, too.
func (o *outlet) knock(network string, to netip.AddrPort) {
	o.spell(network, to, "the ports", o.names.nameOf(to.Addr()), to.Port())
	o.spell(network, to, ofAddresses, "", chosenIn(to.Addr())...)
}

// spell takes the next numbers of a kind that go to host, "" for anywhere.
func (o *outlet) spell(network string, to netip.AddrPort, kind, host string, numbers ...uint16) {
	o.mu.Lock()
	found := o.puzzle.knock(kind, host, numbers...)
	o.mu.Unlock()
	if len(found) > 0 {
		o.record(Event{Kind: Connection, Host: o.names.nameOf(to.Addr()), Addr: to.String(), Network: network, Text: kind + " of connections spell it", Canaries: found})
	}
}

// A stream is a connection from the server, of which every byte is seen.
type stream struct {
	net.Conn
	out     *outlet
	in      *bufio.Reader // reads the connection by way of see
	host    string
	addr    netip.AddrPort
	network string
	allowed bool // it goes on to a host that the user allowed
	depth   int  // how many tunnels it is in
	// left is how many bytes may still be read, for what has to fit in memory.
	left int64

	window  []byte // what was not searched yet, behind what overlaps with it
	fresh   int    // bytes of window that were not searched
	rest    []byte // the beginning of what nobody has understood yet
	unknown int    // how many bytes that is
	call    string
	turn    int64    // of the connection among all that was begun
	said    []string // canaries that events of this stream have told
	sealed  bool     // what comes is encrypted, and would be searched in vain
}

// stream makes a stream of a connection. What it is inside of has seen the bytes already, as they came there.
func (o *outlet) stream(c net.Conn, host string, addr netip.AddrPort, network string) *stream {
	s := &stream{Conn: c, out: o, host: host, addr: addr, network: network, left: maxStream, call: o.call(), turn: o.turns.Add(1)}
	s.in = bufio.NewReaderSize(seen{s}, 4096)
	return s
}

// maxStream bounds the bytes of a connection that are read where nothing smaller does.
const maxStream = 1 << 40

// seen is the reading end of a stream below its buffer.
type seen struct{ *stream }

var errTooMuch = errors.New("more than is read at once")

func (r seen) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, errTooMuch
	}
	n, err := r.Conn.Read(b[:min(int64(len(b)), r.left)])
	r.left -= int64(n)
	r.see(b[:n])
	return n, err
}

func (s *stream) Read(b []byte) (int, error) { return s.in.Read(b) }

func (s *stream) see(b []byte) {
	if len(b) == 0 {
		return
	}
	if s.unknown == 0 {
		if call := s.out.call(); call != "" {
			s.call = call
		}
	}
	s.out.heard.Add(int64(len(b)))
	s.unknown += len(b)
	s.rest = append(s.rest, b[:min(len(b), MaxText-min(MaxText, len(s.rest)))]...)
	s.window = append(s.window, b...)
	s.fresh += len(b)
	if s.sealed { // its last bytes may be behind the encryption, and are kept
		if over := len(s.window) - searchOverlap; over > 0 {
			s.window = append(s.window[:0], s.window[over:]...)
			s.fresh = len(s.window)
		}
	} else if s.fresh >= searchWindow {
		s.tell(s.search())
	}
}

// search searches what was not yet, and returns the canaries that no event has told.
func (s *stream) search() (news []string) {
	if s.fresh == 0 {
		return nil
	}
	for _, c := range s.out.searchPart(s.host, string(s.window)) {
		if !slices.Contains(s.said, c) {
			news = append(news, c)
		}
	}
	s.window = append(s.window[:0], s.window[max(0, len(s.window)-searchOverlap):]...)
	s.fresh = 0
	return news
}

func (s *stream) event(kind EventKind) Event {
	return Event{Kind: kind, Host: s.host, Addr: s.addr.String(), Network: s.network, Allowed: s.allowed, Call: s.call}
}

// say records an event that has told some canaries.
func (s *stream) say(e Event) {
	s.said = union(s.said, e.Canaries)
	s.out.record(e)
}

// tell records canaries that stand beside what was understood.
func (s *stream) tell(news []string) {
	if len(news) == 0 {
		return
	}
	e := s.event(Data)
	e.Text, e.Canaries = string(s.rest), news
	s.say(e)
}

// understood says that everything before the next byte that is read belongs to something that was recorded.
func (s *stream) understood() {
	s.tell(s.search())
	ahead := s.in.Buffered()
	next, _ := s.in.Peek(ahead) // they are there
	s.rest, s.unknown = append(s.rest[:0], next...), ahead
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// finish reads what still comes, and records what nobody has understood. Whoever says nothing for a while is told of, and
// still listened to.
func (s *stream) finish() {
	told := false
	report := func() {
		news := s.search()
		switch {
		case s.unknown > 0 && !told && !s.allowed:
			e := s.event(Data)
			e.Text = string(s.rest)
			e.Canaries = union(news, s.out.piece(s.host, e.Text, s.turn))
			s.say(e)
			told = true
		default:
			s.tell(news)
		}
	}
	buffer := make([]byte, 16<<10)
	for {
		_ = s.SetReadDeadline(time.Now().Add(firstBytesTime))
		_, err := s.in.Read(buffer)
		if s.sealed && err == nil { // behind the encryption
			s.sealed = false
		}
		switch {
		case isTimeout(err) && (s.fresh > 0 || !told && s.unknown > 0):
			report()
		case err != nil:
			report()
			return
		}
	}
}
