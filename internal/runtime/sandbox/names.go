package sandbox

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"sync"
)

// nameTable gives every name an address of its own, so that a connection to an address tells
// which name it was meant for.
type nameTable struct {
	mu     sync.Mutex
	byName map[string]netip.Addr
	byAddr map[netip.Addr]string
	fixed  map[string]netip.Addr
}

// firstAddress is where the addresses of names begin. They are of the ordinary kind, since
// servers that guard themselves refuse those of private networks; nothing is sent to them.
var firstAddress = netip.MustParseAddr("34.120.0.1")

// maxNames bounds the table. Names beyond share the last address.
const maxNames = 50_000

var metadataAddress = netip.MustParseAddr("169.254.169.254")

// metadataNames lead to the metadata services of clouds.
var metadataNames = []string{"metadata.google.internal", "metadata", "metadata.goog", "instance-data", "instance-data.ec2.internal", "metadata.azure.internal", "metadata.azure.com"}

func newNameTable(services []Service) *nameTable {
	t := &nameTable{byName: map[string]netip.Addr{}, byAddr: map[netip.Addr]string{}, fixed: map[string]netip.Addr{
		"localhost": netip.MustParseAddr("127.0.0.1"), "workstation": netip.MustParseAddr("10.0.2.15"),
	}}
	for _, n := range metadataNames {
		t.fixed[n] = metadataAddress
	}
	for _, s := range services {
		if s.Name != "" {
			t.fixed[cleanName(s.Name)] = s.Addr.Addr()
		}
	}
	return t
}

// cleanName is a host name as names are compared.
func cleanName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// addressOf returns the address of a name, the same each time.
func (t *nameTable) addressOf(name string) netip.Addr {
	name = cleanName(name)
	if a, ok := t.fixed[name]; ok {
		return a
	}
	if strings.HasSuffix(name, ".localhost") {
		return t.fixed["localhost"]
	}
	if a, err := netip.ParseAddr(name); err == nil {
		return a
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a, ok := t.byName[name]; ok {
		return a
	}
	n := min(len(t.byName), maxNames)
	first := firstAddress.As4()
	a := netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(first[:])+uint32(n))))
	if n < maxNames {
		t.byName[name], t.byAddr[a] = a, name
	}
	return a
}

// isFull reports whether names share an address.
func (t *nameTable) isFull() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byName) >= maxNames
}

// nameOf returns the name that has an address, the address itself if none has.
func (t *nameTable) nameOf(a netip.Addr) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if name, ok := t.byAddr[a]; ok {
		return name
	}
	return a.String()
}
