// Package listen opens ports and serves them.
package listen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"syscall"
	"time"
)

// TCP listens on an address given with --listen. Its errors name the flag and the address.
func TCP(ctx context.Context, address string) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, explain(address, err)
	}
	return ln, nil
}

// Serve serves HTTP on a listener until ctx ends, and with it its requests.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	web := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan struct{})
	go func() { // ends with ctx
		defer close(ended)
		<-ctx.Done()
		_ = web.Close()
	}()
	err := web.Serve(l)
	cancel()
	<-ended
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func explain(address string, err error) error {
	host, _, splitErr := net.SplitHostPort(address)
	anyPort := "--listen " + net.JoinHostPort(host, "0") + " takes a free one"
	switch {
	case splitErr != nil:
		return fmt.Errorf("--listen %s: want HOST:PORT such as 127.0.0.1:8000", address)
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--listen %s: another program already uses this port: name another one, or %s", address, anyPort)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("--listen %s: the system does not let you use this port: name one above 1023, or %s", address, anyPort)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--listen %s: %s is not an address of this machine", address, host)
	}
	return fmt.Errorf("--listen %s: %w", address, err)
}
