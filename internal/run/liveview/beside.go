package liveview

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// lastLook is how long a run that is over waits for those who watch it to get its last page.
const lastLook = 3 * time.Second

// A Beside is a server that shows the file of a run while the run goes on in this process.
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
	b.running.Go(func() { _ = server.Run(ctx, l) }) // ends with End; a view that breaks off breaks no run
	return b, nil
}

// Address is where a browser finds the page.
func (b *Beside) Address() string { return b.server.Address(b.listener) }

// End tells those who watch that the file has its last form, waits until they have it, three seconds at most
// and not beyond ctx, and ends the serving. On nil it does nothing.
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

// tellLast has every viewer load its page once more. What it returns is closed when that has been done.
func (s *Server) tellLast() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = make(chan struct{})
	if s.missing = len(s.viewers); s.missing == 0 {
		close(s.last)
		return s.last
	}
	for v := range s.viewers {
		for i := range s.Files {
			select {
			case v <- i:
			default: // it has news waiting, and reads the file as it is then
			}
		}
	}
	return s.last
}

// awaitsLast reports whether viewers are to get their last page.
func (s *Server) awaitsLast() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missing > 0
}

// notePage counts the pages that viewers got after tellLast.
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

// TemporaryFile names a file for a run that nobody gave one, in a folder of its own that its user alone can read.
func TemporaryFile(command string) (string, error) {
	dir, err := os.MkdirTemp("", "gauntlet-view-")
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, command+".json"), nil
}
