package mcpserver

import (
	"context"
	"io"
	"math"

	"gauntlet/internal/runtime/wire"
)

// ConnectInMemory returns a connection to a server in this process, whose messages tap sees unless it is nil. The session ends when
// the connection is closed.
func ConnectInMemory(server *Server, tap wire.Tap) wire.Conn {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends by memoryConn.Close
		defer close(done)
		_ = server.Stdio(ctx, fromClient, toClient) // the other end sees its end
		_ = toClient.Close()
		_ = fromClient.Close()
	}()
	return &memoryConn{wire.NewStream(fromServer, toServer, wire.Limits{Total: math.MaxInt64}, tap), func() {
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

// Close also ends the server's side.
func (c *memoryConn) Close() error {
	err := c.Stream.Close()
	c.end()
	return err
}
