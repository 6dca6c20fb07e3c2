// Package broker keeps a fleet's queue, results and state on NATS JetStream: a server inside this process with a store on
// disk, or a cluster elsewhere. It moves bytes and knows nothing of what they say.
package broker

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// An Embedded is a NATS server in this process. It listens on loopback only, and only whoever has its token gets in.
type Embedded struct {
	URL   string
	Token string

	server *server.Server
}

// storeLimit is no bound: each stream has its own, and the server would count those as taken from the start.
const storeLimit = 1 << 50

// startTime is how long a store may take to be read. A million queued jobs take seconds.
const startTime = 5 * time.Minute

// StartEmbedded starts a server over the store in a directory. Close ends it.
func StartEmbedded(dir string) (*Embedded, error) {
	e := &Embedded{Token: rand.Text()}
	s, err := server.NewServer(&server.Options{
		ServerName: "gauntlet-fleet", Host: "127.0.0.1", Port: server.RANDOM_PORT, Authorization: e.Token,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: storeLimit, JetStreamMaxMemory: 64 << 20,
		NoLog: true, NoSigs: true, MaxPayload: 1 << 20, MaxControlLine: 4096,
	})
	if err != nil {
		return nil, fmt.Errorf("the NATS server: %w", err)
	}
	go s.Start() // Close ends it
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, errors.New("the NATS server does not start: is its store in use, or the disk full?")
	}
	e.server, e.URL = s, s.ClientURL()
	return e, nil
}

// Close ends the server; what is in the store stays there.
func (e *Embedded) Close() {
	e.server.Shutdown()
	e.server.WaitForShutdown()
}
