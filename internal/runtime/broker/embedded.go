// Package broker keeps a fleet's queue, results and state on NATS JetStream: a server inside this process with a store on
// disk, or a cluster elsewhere. It moves bytes and knows nothing of what they say.
package broker

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// An Embedded is a NATS server in this process. It listens on loopback only, and only whoever has its token gets in.
type Embedded struct {
	Port   int
	server *server.Server
}

// storeLimit is no bound: each stream has its own, and the server would count those as taken from the start.
const storeLimit = 1 << 50

// startTime is how long a store may take to be read. A million queued jobs take seconds.
const startTime = 5 * time.Minute

// StartEmbedded starts a server over the store in a directory, at a port if it is free: there, clients of an earlier one find it
// again. Close ends it.
func StartEmbedded(dir string, port int, token string) (*Embedded, error) {
	l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
	if err != nil { // somebody else has it now
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("the NATS server: %w", err)
	}
	port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	s, err := server.NewServer(&server.Options{
		ServerName: "gauntlet-fleet", Host: "127.0.0.1", Port: port, Authorization: token,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: storeLimit, JetStreamMaxMemory: 64 << 20,
		NoLog: true, NoSigs: true, MaxPayload: 1 << 20, MaxControlLine: 4096,
	})
	if err != nil {
		return nil, fmt.Errorf("the NATS server: %w", err)
	}
	e := &Embedded{port, s}
	go s.Start() // Close ends it
	if !s.ReadyForConnections(startTime) {
		e.Close()
		return nil, fmt.Errorf("the NATS server over %s was not ready after %s", dir, startTime)
	}
	if !s.JetStreamEnabled() {
		e.Close()
		return nil, errors.New("the NATS server cannot use its store in " + dir)
	}
	return e, nil
}

// Close ends the server; what is in the store stays there.
func (e *Embedded) Close() {
	e.server.Shutdown()
	e.server.WaitForShutdown()
}
