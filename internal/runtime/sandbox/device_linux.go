package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/checksum"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"
)

// A device is the other end of the network card: it hands every packet to the outlet, and those of TCP to a
// stack that answers at every address, so that all of what the server says to anybody is heard.
type device struct {
	file    *os.File
	out     *outlet
	stack   *stack.Stack
	link    *channel.Endpoint
	packets packets
	sending sync.Mutex // a frame goes out as a whole

	mu        sync.Mutex
	beginning map[[2]netip.AddrPort][]byte // what came on connections that are being made, by from and to
}

const (
	card         tcpip.NICID = 1
	maxFrame                 = 128 << 10 // the kernel joins what goes to one place
	maxBeginning             = 1024      // connections that are being made
	maxEarly                 = 64 << 10  // bytes that come on one of them
	frameHead                = 14
	waiting                  = 128 << 10 // bytes of a connection that nobody has read
)

// newDevice serves the other end of the card. connected is called with each connection, in a goroutine of its own.
func newDevice(file *os.File, out *outlet, connected func(net.Conn, netip.AddrPort, int64)) (*device, error) {
	d := &device{beginning: map[[2]netip.AddrPort][]byte{}, file: file, out: out, link: channel.New(1024, wireMTU, "")}
	d.link.LinkEPCapabilities = stack.CapabilityRXChecksumOffload // the kernel leaves sums to the card
	d.packets = packets{out: out, parts: map[uint32]*packet{}, answer: d.answer, begun: d.begin, said: d.hear}
	d.stack = stack.New(stack.Options{
		NetworkProtocols: []stack.NetworkProtocolFactory{ipv4.NewProtocol, ipv6.NewProtocol}, TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol},
	})
	for _, do := range []func() tcpip.Error{
		func() tcpip.Error { return d.stack.CreateNIC(card, d.link) },
		func() tcpip.Error { return d.stack.SetPromiscuousMode(card, true) },
		func() tcpip.Error { return d.stack.SetSpoofing(card, true) },
		func() tcpip.Error {
			wait := tcpip.TCPTimeWaitTimeoutOption(time.Second)
			return d.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &wait)
		},
		func() tcpip.Error {
			size := tcpip.TCPReceiveBufferSizeRangeOption{Min: 4 << 10, Default: waiting, Max: waiting}
			return d.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &size)
		},
	} {
		if err := do(); err != nil {
			return nil, fmt.Errorf("the stack of TCP: %s", err)
		}
	}
	d.stack.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: card}, {Destination: header.IPv6EmptySubnet, NIC: card}})
	forwarder := tcp.NewForwarder(d.stack, 0, maxBeginning, func(r *tcp.ForwarderRequest) {
		id, turn := r.ID(), out.turns.Add(1) // before the server knows that it is connected, and begins another one
		var queue waiter.Queue
		end, err := r.CreateEndpoint(&queue)
		r.Complete(err != nil)
		from, _ := netip.AddrFromSlice(id.RemoteAddress.AsSlice())
		to, _ := netip.AddrFromSlice(id.LocalAddress.AsSlice())
		at := netip.AddrPortFrom(to, id.LocalPort)
		early := d.made(netip.AddrPortFrom(from, id.RemotePort), at)
		if err != nil { // a handshake that was begun tells its host and port, too, and what was sent before a reset
			out.givenUp(at)
			if len(early) > 0 {
				out.sentAtOnce("tcp", at, early, turn)
			}
			return
		}
		connected(gonet.NewTCPConn(&queue, end), at, turn)
	})
	d.stack.SetTransportProtocolHandler(tcp.ProtocolNumber, forwarder.HandlePacket)
	return d, nil
}

// begin notes a connection that the server begins. The stack answers no more than it makes at a time; of the others it says nothing.
func (d *device) begin(from, to netip.AddrPort) {
	d.mu.Lock()
	key := [2]netip.AddrPort{from, to}
	_, again := d.beginning[key]
	over := len(d.beginning) >= maxBeginning
	if !again && !over {
		d.beginning[key] = nil
	}
	d.mu.Unlock()
	if again {
		return
	}
	d.out.knock("tcp", to)
	if over {
		d.out.limit(fmt.Sprintf("more than %d connections were being made at a time", maxBeginning))
		d.out.givenUp(to)
	}
}

// hear keeps what comes on a connection that is being made: one that is reset at once is never handed on.
func (d *device) hear(from, to netip.AddrPort, payload []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := [2]netip.AddrPort{from, to}
	if early, ok := d.beginning[key]; ok {
		d.beginning[key] = append(early, payload[:min(len(payload), maxEarly-len(early))]...)
	}
}

// settle waits until every packet that has come was looked at, and every connection that is being made is known.
func (d *device) settle() {
	raw, err := d.file.SyscallConn()
	if err != nil {
		return
	}
	began := time.Now()
	for {
		size := 0
		_ = raw.Control(func(fd uintptr) { size, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
		d.mu.Lock()
		making := len(d.beginning) > 0
		d.mu.Unlock()
		if waited := time.Since(began); size == 0 && (!making || waited > makingTime) || waited > settleTime {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

const (
	makingTime = time.Second // for connections of which the server has sent the beginning alone
	settleTime = 10 * time.Second
)

// made notes that a connection is made, or given up, and returns what has come on it.
func (d *device) made(from, to netip.AddrPort) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := [2]netip.AddrPort{from, to}
	early := d.beginning[key]
	delete(d.beginning, key)
	return early
}

// run carries packets until the descriptor is closed.
func (d *device) run() {
	ctx, cancel := context.WithCancel(context.Background())
	var sending sync.WaitGroup
	sending.Go(func() { d.send(ctx) }) // ends with ctx
	d.receive()
	cancel()
	sending.Wait()
	d.stack.Close()
	d.stack.Wait()
}

// Close ends run.
func (d *device) Close() error {
	d.countLost()
	return d.file.Close()
}

func (d *device) receive() {
	frame := make([]byte, maxFrame)
	for {
		n, err := d.file.Read(frame)
		if errors.Is(err, unix.ENETDOWN) { // told once, before what the server has sent until its card went
			continue
		}
		if err != nil {
			return
		}
		if n < frameHead {
			continue
		}
		var protocol tcpip.NetworkProtocolNumber
		switch kind := binary.BigEndian.Uint16(frame[12:]); kind {
		case unix.ETH_P_IP:
			protocol = header.IPv4ProtocolNumber
		case unix.ETH_P_IPV6:
			protocol = header.IPv6ProtocolNumber
		default:
			d.out.datagram(fmt.Sprintf("ethernet-%04x", kind), netip.AddrPort{}, frame[frameHead:n])
			continue
		}
		if d.packets.take(frame[frameHead:n]) {
			p := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(frame[frameHead:n])})
			d.link.InjectInbound(protocol, p)
			p.DecRef()
		}
	}
}

func (d *device) send(ctx context.Context) {
	for {
		p := d.link.ReadContext(ctx)
		if p == nil {
			return
		}
		view := p.ToView()
		d.sendPacket(view.AsSlice())
		view.Release()
		p.DecRef()
	}
}

func (d *device) sendPacket(p []byte) {
	kind := uint16(unix.ETH_P_IP)
	if p[0]>>4 == 6 {
		kind = unix.ETH_P_IPV6
	}
	frame := append(make([]byte, 0, frameHead+len(p)), hardware[:]...)
	frame = append(frame, 0x52, 0x55, 0x0a, 0, 2, 2)
	frame = append(binary.BigEndian.AppendUint16(frame, kind), p...)
	d.sending.Lock()
	defer d.sending.Unlock()
	_, _ = d.file.Write(frame) // a server that has gone hears nothing
}

func (d *device) answer(_ uint8, from, to netip.AddrPort, payload []byte) {
	const udp = header.UDPMinimumSize
	size := uint16(udp + len(payload))
	src, dst := tcpip.AddrFromSlice(from.Addr().AsSlice()), tcpip.AddrFromSlice(to.Addr().AsSlice())
	head := header.IPv4MinimumSize
	if from.Addr().Is6() {
		head = header.IPv6MinimumSize
	}
	p := make([]byte, head+udp, head+int(size))
	if from.Addr().Is6() {
		header.IPv6(p).Encode(&header.IPv6Fields{PayloadLength: size, TransportProtocol: header.UDPProtocolNumber, HopLimit: 64, SrcAddr: src, DstAddr: dst})
	} else {
		header.IPv4(p).Encode(&header.IPv4Fields{TotalLength: uint16(head) + size, TTL: 64, Protocol: uint8(header.UDPProtocolNumber), SrcAddr: src, DstAddr: dst})
		header.IPv4(p).SetChecksum(^header.IPv4(p).CalculateChecksum())
	}
	body := header.UDP(p[head:])
	body.Encode(&header.UDPFields{SrcPort: from.Port(), DstPort: to.Port(), Length: size})
	sum := header.PseudoHeaderChecksum(header.UDPProtocolNumber, src, dst, size)
	body.SetChecksum(^body.CalculateChecksum(checksum.Checksum(payload, sum)))
	d.sendPacket(append(p, payload...))
}

// countLost records what came too fast to be seen.
func (d *device) countLost() {
	raw, err := d.file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if lost, err := unix.GetsockoptTpacketStats(int(fd), unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil && lost.Drops > 0 {
			d.out.record(Event{Kind: Limit, Text: fmt.Sprintf("%d packets came faster than they could be looked at, and were lost", lost.Drops)})
		}
	})
}
