package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gauntlet/internal/leaf/sockettable"
)

// connectTime is how long a connection to the server may take to be made.
const connectTime = 5 * time.Second

// errNoAddress is about a host that only a lookup could find: the names of a sandbox lead to no server.
var errNoAddress = errors.New("in a sandbox only addresses and localhost are connected to")

func (s *Sandbox) dial(ctx context.Context, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	hosts := []string{host}
	if host == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for _, h := range hosts {
		if _, bad := netip.ParseAddr(h); bad != nil {
			return nil, fmt.Errorf("%q: %w", host, errNoAddress)
		}
		var c net.Conn
		if c, err = s.connect(ctx, net.JoinHostPort(h, port)); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// connect makes a connection from inside to an address inside.
func (s *Sandbox) connect(ctx context.Context, address string) (net.Conn, error) {
	if s.control == nil {
		return nil, os.ErrClosed
	}
	_, files, err := s.control.ask(request{Connect: address})
	defer closeAll(files) // a connection has a descriptor of its own
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, errors.New("the sandbox handed over no socket")
	}
	if err := awaitConnection(ctx, files[0]); err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	return net.FileConn(files[0])
}

// awaitConnection waits until a socket is connected, or is not to be.
func awaitConnection(ctx context.Context, f *os.File) error {
	until := time.Now().Add(connectTime)
	for ctx.Err() == nil && time.Now().Before(until) {
		poll := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLOUT}}
		switch n, err := unix.Poll(poll, 50); {
		case err != nil && err != unix.EINTR:
			return err
		case n > 0:
			code, err := unix.GetsockoptInt(int(f.Fd()), unix.SOL_SOCKET, unix.SO_ERROR)
			if err == nil && code != 0 {
				err = unix.Errno(code)
			}
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.ErrDeadlineExceeded
}

// openTables opens the tables of sockets, of the namespace that this process is in.
func openTables() (reply, []int, error) {
	var out []int
	for _, name := range sockettable.Files {
		fd, err := unix.Open("/proc/self/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		switch {
		case err == unix.ENOENT && len(out) > 0: // a kernel without IPv6
		case err != nil:
			return reply{}, out, err
		default:
			out = append(out, fd)
		}
	}
	return reply{}, out, nil
}

// maxTable bounds a table of sockets, which the server fills.
const maxTable = 1 << 20

func (s *Sandbox) listening() ([]netip.AddrPort, error) {
	if s.control == nil {
		return nil, os.ErrClosed
	}
	_, files, err := s.control.ask(request{Tables: true})
	defer closeAll(files)
	if err != nil {
		return nil, err
	}
	var all []netip.AddrPort
	for _, f := range files {
		text, err := io.ReadAll(io.LimitReader(f, maxTable))
		if err != nil {
			return nil, err
		}
		all = append(all, sockettable.ReadListening(bytes.NewReader(text))...)
	}
	s.network.mu.Lock()
	defer s.network.mu.Unlock()
	return slices.DeleteFunc(all, func(at netip.AddrPort) bool { return s.network.open[at] }), nil
}
