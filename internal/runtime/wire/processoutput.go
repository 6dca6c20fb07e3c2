package wire

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// processOutput is a server's stdout. It ends when the last holder of the pipe closes it or,
// once the server itself has gone, when nothing has come for the time of drain.
type processOutput struct {
	f     *os.File
	ended atomic.Bool
}

func (o *processOutput) Read(b []byte) (int, error) {
	if o.ended.Load() {
		_ = o.f.SetReadDeadline(time.Now().Add(drain))
	}
	n, err := o.f.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// endOutput says that the server has gone. A Read that waits learns of it too.
func (o *processOutput) endOutput() {
	o.ended.Store(true)
	if o.f.SetReadDeadline(time.Now().Add(drain)) != nil {
		// Windows has no deadlines on pipes; there the end is the closing of the file.
		time.AfterFunc(drain, func() { o.f.Close() })
	}
}

func (o *processOutput) Close() error { return o.f.Close() }
