package sandbox

import (
	"io"
	"net"
	"net/http"
	"sync"
)

// http2Preface is what clients of HTTP/2 begin with, those of gRPC among them.
const http2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// serveHTTP2 answers requests whose heads are compressed and whose bodies are in frames beside each other. What comes is read by the
// server and seen by the stream, which is ours again when the connection has ended.
func (k *sinkhole) serveHTTP2(s *stream) {
	about := s.event(Request)
	var mu sync.Mutex
	var said []string
	var asked sync.WaitGroup
	one := &oneConn{conn: s, ended: make(chan struct{})}
	server := &http.Server{
		Protocols: new(http.Protocols), IdleTimeout: idleTimeout, ConnState: one.state,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			defer asked.Done()
			e, _ := k.readRequest(about, r, r.Body, s.turn) // what came before an error counts
			k.record(e)
			mu.Lock()
			said = union(said, e.Canaries)
			mu.Unlock()
			k.answer(w, r, s.addr)
		}),
	}
	server.ErrorLog = newLike(server.ErrorLog)
	server.ErrorLog.SetOutput(io.Discard) // it would hold a stranger's text
	server.Protocols.SetUnencryptedHTTP2(true)
	_ = server.Serve(one) // ends with the connection, whose time is limited
	_ = server.Close()
	asked.Wait() // they end with the connection, too
	mu.Lock()
	s.said = union(s.said, said)
	mu.Unlock()
	s.understood()
}

// oneConn is a listener that has one connection.
type oneConn struct {
	conn  net.Conn
	once  sync.Once
	ended chan struct{}
}

func (o *oneConn) Accept() (c net.Conn, err error) {
	o.once.Do(func() { c = o.conn })
	if c != nil {
		return c, nil
	}
	<-o.ended
	return nil, io.EOF
}

func (o *oneConn) Close() error   { return nil }
func (o *oneConn) Addr() net.Addr { return o.conn.LocalAddr() }

func (o *oneConn) state(_ net.Conn, now http.ConnState) {
	if now == http.StateClosed {
		close(o.ended)
	}
}

func newLike[T any](*T) *T { return new(T) }
