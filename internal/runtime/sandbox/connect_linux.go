package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// network is the network of a sandbox as this process serves it: the other end of its network card, and sockets that
// were opened inside and handed out.
type network struct {
	sink   *sinkhole
	wire   *os.File
	device *device
	ctx    context.Context
	cancel context.CancelFunc
	// connections are those that are under way.
	connections sync.WaitGroup

	mu      sync.Mutex
	open    map[netip.AddrPort]bool // addresses inside at which somebody of us listens
	sockets []interface{ Close() error }
	ended   bool
}

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
	n.sink = newSinkhole(newOutlet(s.recorder.record, s.recorder.currentCall, s.canaries, newNameTable(s.config.Services)), s.canaries, a, &s.config, allow)
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.open = map[netip.AddrPort]bool{}
	return nil
}

// certificate is that of the authority which signs for every host.
func (s *Sandbox) certificate() []byte { return s.network.sink.authority.pem }

// openNetwork takes what comes out of the network card, and opens the services that have an address inside.
func (s *Sandbox) openNetwork() error {
	n := &s.network
	d, err := newDevice(n.wire, n.sink.outlet, func(c net.Conn, to netip.AddrPort, turn int64) {
		n.connections.Go(func() { n.serve(c, to, turn) }) // ends with the connection, whose time is limited, or with the sandbox
	})
	if err != nil {
		_ = n.wire.Close()
		return err
	}
	n.device = d
	s.running.Go(d.run) // ends when the descriptor is closed
	n.add(d)
	for _, service := range s.config.Services {
		if to := service.Addr.Addr(); to.IsLoopback() || to == ownAddress {
			s.listen(service.Addr)
		}
	}
	for _, at := range n.sink.allow.inside() {
		s.listen(at)
	}
	s.mu.Lock()
	s.ending = append(s.ending, n.end)
	s.mu.Unlock()
	return nil
}

func (n *network) serve(c net.Conn, to netip.AddrPort, turn int64) {
	stop := context.AfterFunc(n.ctx, func() { _ = c.Close() })
	defer stop()
	n.sink.serve(n.ctx, c, to, turn)
}

// After everything in the sandbox has ended, connections are read while something comes or is searched: it has to be silent for
// drainTime, and maxDrain times that is the end of it.
const (
	drainTime = time.Second
	maxDrain  = 30
)

// end waits for what was sent last, and closes every socket, upon which the goroutines of the network end.
func (n *network) end() {
	n.device.settle()
	drained := make(chan struct{})
	go func() { // ends with the connections, which the cancelling below ends
		n.connections.Wait()
		close(drained)
	}()
	tick := time.NewTicker(drainTime)
	defer tick.Stop()
	o := n.sink.outlet
	over := false
	for last, i := o.heard.Load(), 0; !over; i++ {
		select {
		case <-drained:
			over = true
		case <-tick.C:
			now := o.heard.Load()
			over = now == last && len(o.searching) == 0 || i >= maxDrain
			last = now
		}
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

func (s *Sandbox) listen(at netip.AddrPort) {
	n := &s.network
	_, files, err := s.control.ask(request{Listen: at.String()})
	if err != nil || len(files) == 0 {
		return // the server itself listens there
	}
	l, err := net.FileListener(files[0])
	closeAll(files)
	if err != nil || !n.add(l) {
		return
	}
	n.mu.Lock()
	n.open[at] = true
	n.mu.Unlock()
	s.running.Go(func() { // ends when the listener is closed
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			turn := n.sink.turns.Add(1)
			n.connections.Go(func() { n.serve(c, at, turn) }) // as for those that leave
		}
	})
}

// lookAtConnect records the try to reach a socket of this machine.
func (s *Sandbox) lookAtConnect(pid int, at uintptr, size uint64) {
	if path := parseSockaddr(readMemory(pid, at, int(min(size, unix.SizeofSockaddrAny)))); path != "" {
		s.lookAtUnixSocket(pid, path)
	}
}

// parseSockaddr reads the path of a socket of Unix, "" for another address.
func parseSockaddr(raw []byte) string {
	if len(raw) < 3 || binary.NativeEndian.Uint16(raw) != unix.AF_UNIX {
		return ""
	}
	name := raw[2:]
	if i := bytes.IndexByte(name[1:], 0); i >= 0 {
		name = name[:i+1]
	}
	return string(name)
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
