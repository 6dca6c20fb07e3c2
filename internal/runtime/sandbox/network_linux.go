package sandbox

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownAddress is the address that the server finds its machine to have.
var ownAddress = netip.MustParseAddr("10.0.2.15")

// setUpNetwork makes every address lead to this network namespace: the kernel is told that all
// of them are local to its loopback device, the only one there is.
func setUpNetwork() error {
	index, err := bringUpLoopback()
	if err != nil {
		return err
	}
	if err := routeMessage(unix.RTM_NEWADDR, addressMessage(index)); err != nil {
		return fmt.Errorf("address: %w", err)
	}
	if err := routeMessage(unix.RTM_NEWROUTE, localRoute(unix.AF_INET, index)); err != nil {
		return fmt.Errorf("route: %w", err)
	}
	_ = routeMessage(unix.RTM_NEWROUTE, localRoute(unix.AF_INET6, index)) // a system without IPv6 has no way out over it
	return nil
}

func bringUpLoopback() (index int, err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return 0, err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, r); err != nil {
		return 0, err
	}
	r.SetUint16(r.Uint16() | unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r); err != nil {
		return 0, err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, r); err != nil {
		return 0, err
	}
	return int(r.Uint32()), nil
}

// localRoute is "ip route add local default dev INDEX".
func localRoute(family uint8, index int) []byte {
	m := unix.RtMsg{Family: family, Table: unix.RT_TABLE_LOCAL, Protocol: unix.RTPROT_STATIC, Scope: unix.RT_SCOPE_HOST, Type: unix.RTN_LOCAL}
	b := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&m)), unix.SizeofRtMsg)...)
	return appendAttribute(b, unix.RTA_OIF, binary.NativeEndian.AppendUint32(nil, uint32(index)))
}

// addressMessage is "ip address add 10.0.2.15/24 dev INDEX".
func addressMessage(index int) []byte {
	m := unix.IfAddrmsg{Family: unix.AF_INET, Prefixlen: 24, Scope: unix.RT_SCOPE_UNIVERSE, Index: uint32(index)}
	b := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&m)), unix.SizeofIfAddrmsg)...)
	b = appendAttribute(b, unix.IFA_LOCAL, ownAddress.AsSlice())
	return appendAttribute(b, unix.IFA_ADDRESS, ownAddress.AsSlice())
}

func appendAttribute(b []byte, kind uint16, value []byte) []byte {
	b = binary.NativeEndian.AppendUint16(b, uint16(unix.SizeofRtAttr+len(value)))
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = append(b, value...)
	for len(b)%unix.RTA_ALIGNTO != 0 {
		b = append(b, 0)
	}
	return b
}

// routeMessage sends a message to the kernel's routing and returns what it says to it.
func routeMessage(kind uint16, body []byte) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	b := binary.NativeEndian.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(body)))
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = binary.NativeEndian.AppendUint16(b, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE)
	b = binary.NativeEndian.AppendUint32(b, 1)
	b = binary.NativeEndian.AppendUint32(b, 0)
	if err := unix.Sendto(fd, append(b, body...), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	if n < unix.SizeofNlMsghdr+4 || binary.NativeEndian.Uint16(answer[4:]) != unix.NLMSG_ERROR {
		return fmt.Errorf("an unexpected answer of %d bytes", n)
	}
	if code := int32(binary.NativeEndian.Uint32(answer[unix.SizeofNlMsghdr:])); code != 0 {
		return unix.Errno(-code)
	}
	return nil
}

// openSocket opens a socket of TCP that listens, or one of UDP, at an address that need not be one of
// this machine.
func openSocket(kind int, address string) (int, error) {
	fd, where, err := newSocket(kind, address)
	if err != nil {
		return 0, err
	}
	if err := bindSocket(fd, kind, where); err != nil {
		_ = unix.Close(fd)
		return 0, fmt.Errorf("%s: %w", address, err)
	}
	return fd, nil
}

// newSocket makes a socket of IP for an address, and that address for the kernel.
func newSocket(kind int, address string) (fd int, where unix.Sockaddr, err error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return 0, nil, err
	}
	family := unix.AF_INET6
	if a := at.Addr().Unmap(); a.Is4() {
		family, where = unix.AF_INET, &unix.SockaddrInet4{Port: int(at.Port()), Addr: a.As4()}
	} else {
		where = &unix.SockaddrInet6{Port: int(at.Port()), Addr: a.As16()}
	}
	fd, err = unix.Socket(family, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return fd, where, err
}

// connectSocket opens a socket of TCP and begins to connect it. It does not wait: the other end is the
// server's, and may never answer.
func connectSocket(address string) (int, error) {
	fd, where, err := newSocket(unix.SOCK_STREAM, address)
	if err != nil {
		return 0, err
	}
	if err := unix.Connect(fd, where); err != nil && err != unix.EINPROGRESS {
		_ = unix.Close(fd)
		return 0, fmt.Errorf("%s: %w", address, err)
	}
	return fd, nil
}

func bindSocket(fd, kind int, where unix.Sockaddr) error {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	_ = unix.SetsockoptInt(fd, unix.SOL_IP, unix.IP_FREEBIND, 1) // all addresses are local already
	if err := unix.Bind(fd, where); err != nil {
		return err
	}
	if kind == unix.SOCK_STREAM {
		return unix.Listen(fd, 128)
	}
	return nil
}
