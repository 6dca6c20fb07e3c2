package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownAddress is the address that the server finds its machine to have.
var ownAddress = netip.MustParseAddr("10.0.2.15")

var (
	gateway     = netip.MustParseAddr("10.0.2.2")
	ownAddress6 = netip.MustParseAddr("fd42:10:2::15")
	// hardware is the address of the server's network card.
	hardware = [6]byte{0x52, 0x54, 0, 0x1c, 0x9a, 0x42}
)

const (
	cardName = "eth0"
	wireName = "wire"
	// wireMTU is as large as packets get, so that none comes in parts.
	wireMTU = 65535
)

// setUpNetwork makes a network card whose other end nobody has but we: every packet to anywhere, of whatever
// protocol, comes out of the descriptor that is returned, and none of them goes further.
func setUpNetwork() (wire int, err error) {
	if _, err := bringUp("lo", 0); err != nil {
		return 0, err
	}
	home, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(home)
	onOwnThread(func() { wire, err = openWire(home) })
	if err != nil {
		return 0, err
	}
	if err := setUpCard(); err != nil {
		_ = unix.Close(wire)
		return 0, err
	}
	return wire, nil
}

// onOwnThread does something on a thread that ends with it: it is in another network then. That must not be the
// first thread, by which /proc tells the network of the whole process.
func onOwnThread(do func()) {
	done := make(chan struct{})
	go func() { // ends with do
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			do() // and the thread is not unlocked
			return
		}
		onOwnThread(do)
		runtime.UnlockOSThread()
	}()
	<-done
}

// openWire makes a network that holds nothing but the other end of the card, and a socket that has everything that
// comes out of it.
func openWire(home int) (int, error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return 0, fmt.Errorf("a network for the other end: %w", err)
	}
	if err := routeMessage(unix.RTM_NEWLINK, cardMessage(home)); err != nil {
		return 0, fmt.Errorf("a network card (veth): %w", err)
	}
	_ = os.WriteFile("/proc/sys/net/ipv6/conf/"+wireName+"/disable_ipv6", []byte("1"), 0) // what it says of itself is dropped anyway
	const everything = 0x0300                                                             // ETH_P_ALL in network order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, everything)
	if err != nil {
		return 0, fmt.Errorf("a socket for packets: %w", err)
	}
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, wireBuffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, wireBuffer) // as much of it as a user may have
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1)
	index, err := bringUp(wireName, unix.IFF_NOARP)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: everything, Ifindex: index})
	}
	if err != nil {
		_ = unix.Close(fd)
		return 0, err
	}
	return fd, nil
}

// wireBuffer is how many bytes of packets wait for us; what comes beyond it is lost, and counted.
const wireBuffer = 8 << 20

// setUpCard gives the card its addresses, and makes it the way to everywhere.
func setUpCard() error {
	for name, value := range map[string]string{"addr_gen_mode": "1", "accept_ra": "0", "router_solicitations": "0", "dad_transmits": "0"} {
		_ = os.WriteFile("/proc/sys/net/ipv6/conf/"+cardName+"/"+name, []byte(value), 0) // a system without IPv6 has no way out over it
	}
	index, err := bringUp(cardName, unix.IFF_NOARP)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		kind uint16
		body []byte
		must bool
	}{
		{unix.RTM_NEWADDR, addressMessage(index, ownAddress, 24), true},
		{unix.RTM_NEWROUTE, defaultRoute(index, gateway), true},
		{unix.RTM_NEWADDR, addressMessage(index, ownAddress6, 64), false},
		{unix.RTM_NEWROUTE, defaultRoute(index, netip.IPv6Unspecified()), false},
	} {
		if err := routeMessage(one.kind, one.body); err != nil && one.must {
			return fmt.Errorf("the network card: %w", err)
		}
	}
	return nil
}

// bringUp starts a network device, with further flags, and returns its number.
func bringUp(name string, flags uint16) (index int, err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq(name)
	if err != nil {
		return 0, err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, r); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	r.SetUint16(r.Uint16() | unix.IFF_UP | flags)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, r); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return int(r.Uint32()), nil
}

// cardMessage is "ip link add wire mtu 65535 type veth peer name eth0 mtu 65535 address HARDWARE netns HOME".
func cardMessage(home int) []byte {
	link := make([]byte, unix.SizeofIfInfomsg) // all of it is chosen by the kernel
	mtu := binary.NativeEndian.AppendUint32(nil, wireMTU)
	peer := appendAttribute(bytes.Clone(link), unix.IFLA_IFNAME, append([]byte(cardName), 0))
	peer = appendAttribute(peer, unix.IFLA_MTU, mtu)
	peer = appendAttribute(peer, unix.IFLA_ADDRESS, hardware[:])
	peer = appendAttribute(peer, unix.IFLA_NET_NS_FD, binary.NativeEndian.AppendUint32(nil, uint32(home)))
	const vethPeer = 1 // VETH_INFO_PEER
	kind := appendAttribute(nil, unix.IFLA_INFO_KIND, append([]byte("veth"), 0))
	kind = appendAttribute(kind, unix.IFLA_INFO_DATA, appendAttribute(nil, vethPeer, peer))
	out := appendAttribute(link, unix.IFLA_IFNAME, append([]byte(wireName), 0))
	out = appendAttribute(out, unix.IFLA_MTU, mtu)
	return appendAttribute(out, unix.IFLA_LINKINFO, kind)
}

func familyOf(a netip.Addr) uint8 {
	if a.Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

// defaultRoute is "ip route add default via GATEWAY dev INDEX".
func defaultRoute(index int, gateway netip.Addr) []byte {
	m := unix.RtMsg{Family: familyOf(gateway), Table: unix.RT_TABLE_MAIN, Protocol: unix.RTPROT_BOOT, Scope: unix.RT_SCOPE_UNIVERSE, Type: unix.RTN_UNICAST}
	b := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&m)), unix.SizeofRtMsg)...)
	if !gateway.IsUnspecified() {
		b = appendAttribute(b, unix.RTA_GATEWAY, gateway.AsSlice())
	}
	return appendAttribute(b, unix.RTA_OIF, binary.NativeEndian.AppendUint32(nil, uint32(index)))
}

// addressMessage is "ip address add ADDRESS/BITS dev INDEX nodad".
func addressMessage(index int, a netip.Addr, bits uint8) []byte {
	m := unix.IfAddrmsg{Family: familyOf(a), Prefixlen: bits, Flags: unix.IFA_F_NODAD, Scope: unix.RT_SCOPE_UNIVERSE, Index: uint32(index)}
	if a.Is4() {
		m.Flags = 0
	}
	b := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&m)), unix.SizeofIfAddrmsg)...)
	b = appendAttribute(b, unix.IFA_LOCAL, a.AsSlice())
	return appendAttribute(b, unix.IFA_ADDRESS, a.AsSlice())
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

// openSocket opens a socket of TCP that listens at an address of the sandbox's own.
func openSocket(address string) (int, error) {
	fd, where, err := newSocket(address)
	if err != nil {
		return 0, err
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	if err = unix.Bind(fd, where); err == nil {
		err = unix.Listen(fd, 128)
	}
	if err != nil {
		_ = unix.Close(fd)
		return 0, fmt.Errorf("%s: %w", address, err)
	}
	return fd, nil
}

// newSocket makes a socket of TCP for an address, and that address for the kernel.
func newSocket(address string) (fd int, where unix.Sockaddr, err error) {
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
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return fd, where, err
}

// connectSocket opens a socket of TCP and begins to connect it. It does not wait: the other end is the
// server's, and may never answer.
func connectSocket(address string) (int, error) {
	fd, where, err := newSocket(address)
	if err != nil {
		return 0, err
	}
	if err := unix.Connect(fd, where); err != nil && err != unix.EINPROGRESS {
		_ = unix.Close(fd)
		return 0, fmt.Errorf("%s: %w", address, err)
	}
	return fd, nil
}
