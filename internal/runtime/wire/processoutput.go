package wire

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// processOutput is a server's stdout. It ends when the last holder of the pipe closes it or, after the server has ended, when
// nothing arrives for drain.
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

// endOutput records that the server has ended and wakes a blocked Read.
func (o *processOutput) endOutput() {
	o.ended.Store(true)
	if o.f.SetReadDeadline(time.Now().Add(drain)) != nil {
		// Windows pipes have no deadlines; there, closing the file is the end.
		time.AfterFunc(drain, func() { o.f.Close() })
	}
}

func (o *processOutput) Close() error { return o.f.Close() }
