package mcpserver

import (
	"context"
	"io"
	"math"

	"gauntlet/internal/runtime/wire"
)

// ConnectInMemory returns a connection to a server in this process, whose messages tap sees; nil for nobody. The
// conversation ends when the connection is closed.
func ConnectInMemory(server *Server, tap wire.Tap) wire.Conn {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends by memoryConn.Close
		defer close(done)
		_ = server.Stdio(ctx, fromClient, toClient) // its end is seen at the other end
		_ = toClient.Close()
		_ = fromClient.Close()
	}()
	return &memoryConn{wire.NewTappedStream(fromServer, toServer, wire.Limits{Total: math.MaxInt64}, tap), func() {
		cancel()
		_ = toServer.Close()
		_ = fromServer.Close()
		<-done
	}}
}

type memoryConn struct {
	*wire.Stream
	end func()
}

// Close ends the server's side, too.
func (c *memoryConn) Close() error {
	err := c.Stream.Close()
	c.end()
	return err
}
