package sandbox

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// network is the network of a sandbox as this process serves it: sockets that were opened inside
// and handed out.
type network struct {
	sink   *sinkhole
	ctx    context.Context
	cancel context.CancelFunc
	// connections are those that are under way.
	connections sync.WaitGroup

	mu      sync.Mutex
	open    map[netip.AddrPort]bool // addresses at which somebody listens
	sockets []interface{ Close() error }
	ended   bool
}

// maxListeners bounds the addresses at which somebody listens.
const maxListeners = 2000

func (s *Sandbox) prepareNetwork() error {
	allow, err := parseAllow(s.config.Allow)
	if err != nil {
		return err
	}
	a, err := newAuthority(time.Now())
	if err != nil {
		return err
	}
	n := &s.network
	n.sink = newSinkhole(s.recorder.record, s.canaries, newNameTable(s.config.Services), a, s.config.Services, allow)
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.open = map[netip.AddrPort]bool{}
	return nil
}

// certificate is that of the authority which signs for every host.
func (s *Sandbox) certificate() []byte { return s.network.sink.authority.pem }

// openNetwork opens what has to be there before the server asks for it: the resolver, the services
// of the sandbox, and what sees datagrams.
func (s *Sandbox) openNetwork() error {
	_, files, err := s.control.ask(request{Bind: "0.0.0.0:53"})
	if err != nil {
		return err
	}
	if err := s.serveDatagrams(files[0]); err != nil {
		return err
	}
	for _, service := range s.config.Services {
		s.listen(service.Addr)
	}
	s.watchPackets(unix.IPPROTO_UDP)
	s.watchPackets(unix.IPPROTO_ICMP)
	s.mu.Lock()
	s.ending = append(s.ending, s.network.end)
	s.mu.Unlock()
	return nil
}

// drainTime is how long connections are still read after everything in the sandbox has ended.
const drainTime = time.Second

// end waits for what was sent last, and closes every socket, upon which the goroutines of the network end.
func (n *network) end() {
	drained := make(chan struct{})
	go func() { // ends with the connections, which the cancelling below ends
		n.connections.Wait()
		close(drained)
	}()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-drained:
	case <-timer.C:
	}
	n.cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	for _, c := range n.sockets {
		_ = c.Close()
	}
	n.sockets = nil
}

// add keeps a socket to be closed at the end; it closes it at once if that has come.
func (n *network) add(c interface{ Close() error }) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended {
		_ = c.Close()
		return false
	}
	n.sockets = append(n.sockets, c)
	return true
}

// serveDatagrams answers queries for names, whichever address they are sent to.
func (s *Sandbox) serveDatagrams(f *os.File) error {
	c, err := net.FilePacketConn(f)
	_ = f.Close() // c has its own
	if err != nil {
		return err
	}
	p := ipv4.NewPacketConn(c)
	if err := p.SetControlMessage(ipv4.FlagDst, true); err != nil {
		_ = c.Close()
		return err
	}
	if !s.network.add(c) {
		return nil
	}
	s.running.Go(func() { // ends when the socket is closed
		query := make([]byte, 64<<10)
		for {
			n, cm, from, err := p.ReadFrom(query)
			if err != nil {
				return
			}
			answer := s.network.sink.resolve(query[:n], "udp")
			if answer == nil || cm == nil {
				continue
			}
			_, _ = p.WriteTo(answer, &ipv4.ControlMessage{Src: cm.Dst}, from) // whoever asked may have gone
		}
	})
	return nil
}

// listen sees to it that somebody listens at an address.
func (s *Sandbox) listen(at netip.AddrPort) {
	n := &s.network
	at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	n.mu.Lock()
	known := n.open[at] || len(n.open) >= maxListeners || n.ended
	n.open[at] = true
	n.mu.Unlock()
	if known {
		return
	}
	_, files, err := s.control.ask(request{Listen: at.String()})
	if err != nil || len(files) == 0 {
		return // the server itself listens there
	}
	l, err := net.FileListener(files[0])
	closeAll(files)
	if err != nil || !n.add(l) {
		return
	}
	s.running.Go(func() { s.accept(l, at) }) // ends when the listener is closed
}

func (s *Sandbox) accept(l net.Listener, at netip.AddrPort) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.network.connections.Go(func() { // ends with the connection, whose time is limited, or with the sandbox
			stop := context.AfterFunc(s.network.ctx, func() { _ = c.Close() })
			defer stop()
			s.network.sink.serve(s.network.ctx, c, at)
		})
	}
}

// lookAtConnect sees to it that somebody listens where a connection is about to be made to. At
// the server's own loopback addresses there are only its own programs, and services.
func (s *Sandbox) lookAtConnect(pid int, at uintptr, size uint64) {
	raw := readMemory(pid, at, int(min(size, unix.SizeofSockaddrAny)))
	to, path := parseSockaddr(raw)
	switch {
	case path != "":
		s.lookAtUnixSocket(pid, path)
	case to.IsValid() && to.Port() != 0 && !to.Addr().IsLoopback() && !to.Addr().IsUnspecified() && !to.Addr().IsMulticast() && to.Addr() != ownAddress:
		s.listen(to)
	}
}

// parseSockaddr reads an address of IP, or the path of a socket of Unix.
func parseSockaddr(raw []byte) (to netip.AddrPort, path string) {
	if len(raw) < 3 {
		return netip.AddrPort{}, ""
	}
	switch binary.NativeEndian.Uint16(raw) {
	case unix.AF_INET:
		if len(raw) >= 8 {
			return netip.AddrPortFrom(netip.AddrFrom4([4]byte(raw[4:8])), binary.BigEndian.Uint16(raw[2:])), ""
		}
	case unix.AF_INET6:
		if len(raw) >= 24 {
			return netip.AddrPortFrom(netip.AddrFrom16([16]byte(raw[8:24])).Unmap(), binary.BigEndian.Uint16(raw[2:])), ""
		}
	case unix.AF_UNIX:
		name := raw[2:]
		for i, c := range name {
			if c == 0 && i > 0 {
				name = name[:i]
				break
			}
		}
		return netip.AddrPort{}, string(name)
	}
	return netip.AddrPort{}, ""
}

// lookAtUnixSocket records the try to reach a socket that is not there: programs of this machine
// listen at sockets in its folders, and none of them is shown.
func (s *Sandbox) lookAtUnixSocket(pid int, path string) {
	if path[0] == 0 || path == "/var/run/nscd/socket" || path == "/run/nscd/socket" {
		return
	}
	if path[0] == '/' {
		if f, err := s.openInside(path, unix.O_PATH); err == nil {
			info, err := f.Stat()
			_ = f.Close()
			if err == nil && s.isOwn(info) {
				return
			}
		}
	}
	s.recorder.record(Event{Kind: Denied, Pid: pid, Path: path, Network: "unix", Text: "a connection to a socket that is not the server's own"})
}

// watchPackets records datagrams to whatever address: a socket for raw packets sees them all.
func (s *Sandbox) watchPackets(protocol int) {
	_, files, err := s.control.ask(request{Raw: protocol})
	if err != nil || len(files) == 0 {
		s.mu.Lock()
		s.held = append(s.held, Protection{Name: "datagrams", Detail: "not recorded"})
		s.mu.Unlock()
		return
	}
	f := files[0]
	if !s.network.add(f) {
		return
	}
	s.running.Go(func() { // ends when the socket is closed
		packet := make([]byte, 64<<10)
		for {
			n, err := f.Read(packet)
			if err != nil {
				return
			}
			if d, ok := parsePacket(packet[:n]); ok {
				s.network.sink.datagram(d.network, d.to, d.payload)
			}
		}
	})
}

// datagram is what a packet carries that was sent to somebody.
type datagram struct {
	network string
	to      netip.AddrPort
	payload []byte
}

// parsePacket reads a packet of IPv4. Queries for names are recorded as such, and what stays on
// the loopback is nobody else's.
func parsePacket(b []byte) (datagram, bool) {
	if len(b) < 20 || b[0]>>4 != 4 {
		return datagram{}, false
	}
	head := int(b[0]&15) * 4
	to := netip.AddrFrom4([4]byte(b[16:20]))
	if head < 20 || len(b) < head+8 || to.IsLoopback() || to == ownAddress {
		return datagram{}, false
	}
	body := b[head:]
	switch b[9] {
	case unix.IPPROTO_UDP:
		from, port := binary.BigEndian.Uint16(body), binary.BigEndian.Uint16(body[2:])
		if port == 53 || from == 53 {
			return datagram{}, false
		}
		return datagram{"udp", netip.AddrPortFrom(to, port), body[8:]}, true
	case unix.IPPROTO_ICMP:
		if body[0] != 8 { // of all its messages only an echo request carries what its sender chose
			return datagram{}, false
		}
		return datagram{"icmp", netip.AddrPortFrom(to, 0), body[8:]}, true
	}
	return datagram{}, false
}
