package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
)

// An allowList are the hosts that may really be reached.
type allowList map[string]uint16 // by name; 0 for every port

// parseAllow reads HOST and HOST:PORT.
func parseAllow(hosts []string) (allowList, error) {
	list := allowList{}
	for _, h := range hosts {
		name, port, err := net.SplitHostPort(h)
		if err != nil {
			name, port = h, "0"
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || name == "" || strings.ContainsAny(name, "/*@ ") {
			return nil, fmt.Errorf("%q is neither HOST nor HOST:PORT", h)
		}
		list[cleanName(name)] = uint16(n)
	}
	return list, nil
}

func (l allowList) allows(host string, port uint16) bool {
	p, ok := l[cleanName(host)]
	return ok && (p == 0 || p == port)
}

// passOn carries a connection to the host that it is for. What the server sends is looked at on
// its way, as far as it is not inside TLS: an allowed host is no reason to look away.
func (k *sinkhole) passOn(ctx context.Context, c net.Conn, host string, to netip.AddrPort) {
	out, err := k.dial(ctx, net.JoinHostPort(host, strconv.Itoa(int(to.Port()))))
	if err != nil {
		k.record(Event{Kind: Limit, Host: host, Text: "the allowed host could not be reached: " + err.Error()})
		return
	}
	defer out.Close()
	var seen head
	var both sync.WaitGroup
	both.Go(func() { // ends when either end closes
		_, _ = io.Copy(out, io.TeeReader(c, &seen))
		closeWrite(out)
	})
	_, _ = io.Copy(c, out)
	closeWrite(c)
	_ = c.Close() // ends the other direction
	both.Wait()
	if found := k.finder.find(string(seen)); found != nil {
		k.record(Event{Kind: Data, Host: host, Addr: to.String(), Network: "tcp", Text: string(seen), Canaries: found, Allowed: true})
	}
}

func closeWrite(c net.Conn) {
	if w, ok := c.(interface{ CloseWrite() error }); ok {
		_ = w.CloseWrite()
	}
}

// head keeps the beginning of what is written to it.
type head []byte

func (h *head) Write(b []byte) (int, error) {
	*h = append(*h, b[:min(len(b), MaxText-min(MaxText, len(*h)))]...)
	return len(b), nil
}
