package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
)

// Lines splits a stranger's text into lines and bounds both.
type Lines struct {
	r     *bufio.Reader
	limit int          // longest line
	left  int64        // bytes that may still arrive
	total int64        // initial value of left
	skip  bool         // inside a line that was too long
	cut   bool         // the stream ended before the latest line did
	begun atomic.Int64 // bytes after the latest whole line
}

// NewLines returns the lines of r; limits bound one line (Message) and their sum (Total).
func NewLines(r io.Reader, limits Limits) *Lines {
	l := limits.withDefaults()
	lines := &Lines{limit: l.Message, left: l.Total, total: l.Total}
	lines.r = bufio.NewReaderSize(&counter{r, &lines.begun}, 64<<10)
	return lines
}

type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Next returns the next line without its end. After a [LineTooLongError] it continues with the next line; every other error is
// final. A last line that the stream's end cuts off is returned, and io.EOF only after it. Beside the reader's fixed buffer, at most
// limit bytes of a line are in memory.
func (l *Lines) Next() (string, error) {
	if l.skip {
		if err := l.skipLine(); err != nil {
			return "", err
		}
	}
	var line strings.Builder
	before := l.left
	for {
		part, err := l.readPart()
		if len(part) > 0 && part[len(part)-1] == '\n' {
			part = part[:len(part)-1]
		}
		if line.Len()+len(part) > l.limit {
			l.skip = errors.Is(err, bufio.ErrBufferFull)
			return "", &LineTooLongError{Limit: l.limit}
		}
		growBuilder(&line, len(part), l.limit)
		line.Write(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF) && line.Len() > 0:
			l.cut = err != nil
			l.begun.Add(l.left - before)
			return strings.TrimSuffix(line.String(), "\r"), nil
		default:
			return "", err
		}
	}
}

// readPart reads to the end of the line or of the buffer.
func (l *Lines) readPart() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if l.left -= int64(len(part)); l.left < 0 {
		return nil, &FloodError{fmt.Sprintf("the server sent more than %d bytes", l.total)}
	}
	return part, err
}

func (l *Lines) skipLine() error {
	for {
		_, err := l.readPart()
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.skip = err != nil
		return err
	}
}

// growBuilder doubles like append but stays within limit: otherwise a line just below it would take twice the memory.
func growBuilder(b *strings.Builder, n, limit int) {
	if need := b.Len() + n; need > b.Cap() {
		b.Grow(max(need, min(2*b.Cap(), limit)) - b.Len())
	}
}
