package sandbox

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// An answer is one to the query: its id and its question; and what is no query gets none.
func FuzzAnswerQuery(f *testing.F) {
	var b dnsmessage.Builder = dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: 7, RecursionDesired: true})
	_ = b.StartQuestions()
	_ = b.Question(dnsmessage.Question{Name: dnsmessage.MustNewName("a.evil.example."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET})
	query, err := b.Finish()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(query)
	f.Add(append(bytes.Clone(query), 0xc0, 0x0c))
	f.Add([]byte{0, 1, 0x80, 0, 0, 1})
	f.Fuzz(func(t *testing.T, query []byte) {
		answer, about, whole := answerQuery(query, newNameTable(nil))
		if answer == nil {
			return
		}
		if whole && len(query) > 300 {
			t.Errorf("%d bytes are a question of %d", len(query), len(about.Name.String()))
		}
		var asked, said dnsmessage.Parser
		head, err := said.Start(answer)
		before, err2 := asked.Start(query)
		if err != nil || err2 != nil || head.ID != before.ID || !head.Response {
			t.Fatalf("%x is no answer to %x: %v, %v", answer, query, err, err2)
		}
		q, err := said.Question()
		q2, err2 := asked.Question()
		if err != nil || err2 != nil || q != q2 || q != about {
			t.Errorf("the answer to %v is about %v: %v, %v", q2, q, err, err2)
		}
	})
}

// Whatever a server sends to whatever port, the connection ends, and what is kept of it is bounded.
func FuzzServeStream(f *testing.F) {
	f.Add(uint16(80), []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.Add(uint16(80), []byte("POST /x HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"))
	f.Add(uint16(80), []byte("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n\r\n\x82\x85abcd\x09\x07\x0f\x08\x0e\x89\x00"))
	f.Add(uint16(25), []byte("EHLO a\r\nMAIL FROM:<a>\r\nDATA\r\nx\r\n.\r\nQUIT\r\n"))
	f.Add(uint16(443), []byte("\x16\x03\x01\x00\x05hello"))
	f.Add(uint16(53), []byte("\x00\x03abc"))
	f.Add(uint16(4444), []byte("\x00\xff anything"))
	a, err := newAuthority(time.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, port uint16, sent []byte) {
		r := newRecorder(time.Now, nil)
		k := newSinkhole(newOutlet(r.record, r.currentCall, newCanaries(), newNameTable(nil)), newCanaries(), a, &Config{}, nil)
		ours, theirs := net.Pipe()
		done := make(chan struct{})
		go func() { // ends with the connection
			k.serve(context.Background(), ours, netip.AddrPortFrom(netip.MustParseAddr("34.120.0.1"), port), 1)
			close(done)
		}()
		read := make(chan struct{})
		go func() { // ends with the connection
			_, _ = io.Copy(io.Discard, theirs)
			close(read)
		}()
		_, _ = theirs.Write(sent[:min(len(sent), 1<<16)])
		_ = theirs.Close()
		<-done
		<-read
		for _, e := range r.since(1) {
			if len(e.Text) > MaxText || len(e.URL) > 8<<10 {
				t.Errorf("an event keeps %d bytes of text and %d of an address", len(e.Text), len(e.URL))
			}
			m := e.Message()
			if strings.ContainsAny(m.Raw, "\x1b\n\r") {
				t.Errorf("control characters stand raw in %q", m.Raw)
			}
		}
	})
}
