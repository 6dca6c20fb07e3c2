package liveview

import (
	"context"
	"net"
	"sync"
	"time"
)

// lastLook bounds how long a finished run waits for viewers to get its last page.
const lastLook = 3 * time.Second

// A Beside shows a run's file while the run continues in this process.
type Beside struct {
	server   *Server
	listener net.Listener
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// Show serves a file on this machine until End.
func Show(file string) (*Beside, error) {
	server, err := New([]string{file})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	b := &Beside{server: server, listener: l, stop: stop}
	b.running.Go(func() { _ = server.Run(ctx, l) }) // ends with End; a failing view does not fail the run
	return b, nil
}

// Address returns the page's URL.
func (b *Beside) Address() string { return b.server.Address(b.listener) }

// End tells viewers that the file is final, waits until they have loaded it (at most three seconds, or until ctx ends) and stops
// serving. On nil it does nothing.
func (b *Beside) End(ctx context.Context) {
	if b == nil {
		return
	}
	inTime, cancel := context.WithTimeout(ctx, lastLook)
	defer cancel()
	select {
	case <-b.server.tellLast():
	case <-inTime.Done():
	}
	b.stop()
	b.running.Wait()
}

// tellLast makes every viewer reload its page. The returned channel is closed when that is done.
func (s *Server) tellLast() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = make(chan struct{})
	if s.missing = len(s.viewers); s.missing == 0 {
		close(s.last)
		return s.last
	}
	for i := range s.Files {
		s.notify(i)
	}
	return s.last
}

// awaitsLast reports whether viewers still need their last page.
func (s *Server) awaitsLast() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missing > 0
}

// notePage counts pages served after tellLast.
func (s *Server) notePage() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing == 0 {
		return
	}
	if s.missing--; s.missing == 0 {
		close(s.last)
	}
}
