package proberun

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A service records every request on the loopback address and answers it.
type service struct {
	port   int
	server *http.Server
	done   chan struct{}

	mu    sync.Mutex
	calls []sighting
}

const maxServiceCalls = 10_000

// listen starts a service on a free port.
func listen(answer func(path string) string) (*service, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &service{port: l.Addr().(*net.TCPAddr).Port, done: make(chan struct{})}
	s.server = &http.Server{ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.remember(r)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, answer(r.URL.Path)) // a client that does not want the answer has been recorded
	})}
	go func() { // close ends it
		defer close(s.done)
		_ = s.server.Serve(l) // ErrServerClosed
	}()
	return s, nil
}

func (s *service) remember(r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 4<<10))
	head := ""
	for name, values := range r.Header {
		for _, v := range values {
			head += name + ": " + v + "\n"
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) < maxServiceCalls {
		s.calls = append(s.calls, sighting{Inner: true, Method: r.Method, URL: "http://" + r.Host + r.RequestURI, Head: head + "\n" + string(body)})
	}
}

// since returns the requests after the first n.
func (s *service) since(n int) []sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls[n:])
}

func (s *service) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.server.Shutdown(ctx)
	if err != nil {
		err = s.server.Close()
	}
	<-s.done
	return err
}
