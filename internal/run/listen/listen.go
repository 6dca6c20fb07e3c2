// Package listen opens the ports of --listen, and explains failures.
package listen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
)

// TCP listens on an address given with --listen. Its errors name the flag and the address.
func TCP(ctx context.Context, address string) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, explain(address, err)
	}
	return ln, nil
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
