package sandbox

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// The protocols above IP that are told apart here.
const (
	protocolICMP     = 1
	protocolIGMP     = 2
	protocolTCP      = 6
	protocolUDP      = 17
	protocolFragment = 44
	protocolICMPv6   = 58
	protocolUDPLite  = 136
)

// A packet is one of IP, taken apart.
type packet struct {
	from, to netip.Addr
	protocol uint8
	body     []byte
	// options are what the sender put between the addresses and the body; nil for nothing.
	options []byte
	// fragment numbers the packet of which this is a part; more says that others follow. 0 is a whole one.
	fragment uint32
	more     bool
}

// parsePacket reads a packet of IPv4 or IPv6, which the kernel of the sandbox made.
func parsePacket(b []byte) (p packet, ok bool) {
	switch {
	case len(b) >= 20 && b[0]>>4 == 4:
		head, size := int(b[0]&15)*4, int(binary.BigEndian.Uint16(b[2:]))
		if head < 20 || size < head || size > len(b) {
			return p, false
		}
		p = packet{from: netip.AddrFrom4([4]byte(b[12:16])), to: netip.AddrFrom4([4]byte(b[16:20])), protocol: b[9], body: b[head:size]}
		if head > 20 {
			p.options = b[20:head]
		}
		if place := binary.BigEndian.Uint16(b[6:]); place&0x3fff != 0 {
			p.fragment, p.more = 1<<16|uint32(binary.BigEndian.Uint16(b[4:])), place&0x2000 != 0
		}
		return p, true
	case len(b) >= 40 && b[0]>>4 == 6:
		size := 40 + int(binary.BigEndian.Uint16(b[4:]))
		if size > len(b) {
			return p, false
		}
		p = packet{from: netip.AddrFrom16([16]byte(b[8:24])), to: netip.AddrFrom16([16]byte(b[24:40])), protocol: b[6], body: b[40:size]}
		p.skipHeaders()
		return p, true
	}
	return p, false
}

// skipHeaders steps over the further headers of IPv6.
func (p *packet) skipHeaders() {
	all := p.body
	for len(p.body) >= 8 {
		n := 8
		switch p.protocol {
		case 0, 43, 60: // options of every hop, a route, options of the last one
			n += 8 * int(p.body[1])
		case protocolFragment:
			p.fragment, p.more = binary.BigEndian.Uint32(p.body[4:])|1, p.body[3]&1 != 0
		default:
			return
		}
		if n > len(p.body) {
			return
		}
		if p.protocol != protocolFragment {
			p.options = all[:len(all)-len(p.body)+n]
		}
		p.protocol, p.body = p.body[0], p.body[n:]
	}
}

// The bounds on packets that come in parts.
const (
	maxFragmented = 64
	maxReassembly = 1 << 20 // bytes of one
)

// packets records what leaves the sandbox, but for the bytes of TCP. answer is called with what is to be sent back for a
// lookup.
type packets struct {
	out    *outlet
	answer func(network uint8, from, to netip.AddrPort, payload []byte)
	begun  func(from, to netip.AddrPort)                 // called for each connection that is begun, in order
	said   func(from, to netip.AddrPort, payload []byte) // called with what comes over TCP, as it comes
	parts  map[uint32]*packet
}

// take looks at a packet, and reports whether it is one of TCP.
func (r *packets) take(b []byte) (tcp bool) {
	p, ok := parsePacket(b)
	if !ok {
		r.out.datagram("unknown", netip.AddrPort{}, b)
		return false
	}
	if p.options != nil && !isRouterAlert(p.options) {
		r.out.datagram("ip-options", netip.AddrPortFrom(p.to, 0), p.options)
	}
	if p.protocol == protocolTCP {
		r.segment(&p)
		return true
	}
	if p.fragment != 0 {
		whole := r.join(&p)
		if whole == nil {
			return false
		}
		p = *whole
	}
	r.sort(&p)
	return false
}

// segment tells of a connection that is begun, and of what comes on one.
func (r *packets) segment(p *packet) {
	const shortest, offset, flags, syn, ack = 20, 12, 13, 2, 16
	if len(p.body) < shortest || p.fragment != 0 {
		return
	}
	from, to := netip.AddrPortFrom(p.from, binary.BigEndian.Uint16(p.body)), netip.AddrPortFrom(p.to, binary.BigEndian.Uint16(p.body[2:]))
	if p.body[flags]&(syn|ack) == syn {
		r.begun(from, to)
	}
	if head := int(p.body[offset]>>4) * 4; head < len(p.body) {
		r.said(from, to, p.body[head:])
	}
}

// isRouterAlert recognises the option of the kernel's own messages about groups.
func isRouterAlert(options []byte) bool {
	switch string(options) {
	case "\x94\x04\x00\x00", "\x3a\x00\x05\x02\x00\x00\x01\x00":
		return true
	}
	return false
}

// join keeps the parts of a packet, which the kernel sends one after the other, and returns it when the last has come.
func (r *packets) join(p *packet) *packet {
	whole := r.parts[p.fragment]
	if whole == nil {
		if len(r.parts) >= maxFragmented {
			r.out.limit("more packets came in parts than are put together")
			clear(r.parts)
		}
		whole = &packet{from: p.from, to: p.to, protocol: p.protocol}
		r.parts[p.fragment] = whole
	}
	whole.body = append(whole.body, p.body...)
	if p.more && len(whole.body) < maxReassembly {
		return nil
	}
	delete(r.parts, p.fragment)
	return whole
}

func (r *packets) sort(p *packet) {
	to := netip.AddrPortFrom(p.to, 0)
	body := p.body
	switch {
	case (p.protocol == protocolUDP || p.protocol == protocolUDPLite) && len(body) >= 8:
		from := netip.AddrPortFrom(p.from, binary.BigEndian.Uint16(body))
		to = netip.AddrPortFrom(p.to, binary.BigEndian.Uint16(body[2:]))
		if p.protocol == protocolUDPLite {
			r.out.datagram("udplite", to, body[8:])
			return
		}
		if to.Port() == 53 {
			if len(body) >= 10 {
				r.out.spell("udp", to, ofLookups, "", binary.BigEndian.Uint16(body[8:]))
			}
			answer, whole := r.out.resolve(body[8:], "udp")
			if answer != nil {
				r.answer(p.protocol, to, from, answer)
			}
			if whole {
				return
			}
		}
		r.out.datagram("udp", to, body[8:])
		r.out.knock("udp", to)
	case p.protocol == protocolICMP && len(body) >= 8 && body[0] != 8, p.protocol == protocolICMPv6 && len(body) >= 8 && body[0] != 128 && !isReport(p), isReport(p) && ownGroups(p):
		// Of the messages that the kernel makes nothing is chosen by the server, but for the groups that it joins.
	case p.protocol == protocolICMP && len(body) >= 8:
		r.out.datagram("icmp", to, body[8:])
	case p.protocol == protocolICMPv6 && len(body) >= 8 && body[0] == 128:
		r.out.datagram("icmp", to, body[8:])
	default:
		r.out.datagram(fmt.Sprintf("ip-%d", p.protocol), to, body)
	}
}

// isReport recognises messages that say which groups the machine is in.
func isReport(p *packet) bool {
	return len(p.body) > 0 && (p.protocol == protocolIGMP || p.protocol == protocolICMPv6 && (p.body[0] == 131 || p.body[0] == 132 || p.body[0] == 143))
}

// ownGroups reports whether a report tells of nothing but groups that every machine is in: those of its own link.
func ownGroups(p *packet) bool {
	size, head := 4, 8
	if p.protocol == protocolICMPv6 {
		size = 16
	}
	list := p.body[min(head, len(p.body)):]
	if kind := p.body[0]; kind == 143 || kind == 0x22 { // many in one
		for len(list) >= 4+size {
			sources, aside := binary.BigEndian.Uint16(list[2:]), list[1]
			if group, ok := netip.AddrFromSlice(list[4 : 4+size]); !ok || !group.IsLinkLocalMulticast() || sources > 0 || aside > 0 {
				return false
			}
			list = list[4+size:]
		}
		return len(list) == 0
	}
	if p.protocol == protocolIGMP {
		list = p.body[min(4, len(p.body)):]
	}
	group, ok := netip.AddrFromSlice(list)
	return ok && group.IsLinkLocalMulticast()
}
