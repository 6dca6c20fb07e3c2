package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The first process of a sandbox does what only a process inside can, and what we ask it for over
// a socket that it was started with: setting up, opening sockets, writing files, starting the
// server. It reads nothing that the server writes. When the socket ends it ends, and the kernel
// ends everything in the sandbox with it.

// A request is what the first process is asked to do. One field is set.
type request struct {
	Setup  *setup      `json:",omitempty"`
	Start  *startOrder `json:",omitempty"`
	Listen string      `json:",omitempty"` // open a TCP socket that listens at this address
	// Connect opens a TCP socket and begins to connect it to this address.
	Connect string `json:",omitempty"`
	Tables  bool   `json:",omitempty"` // open the tables of TCP sockets
	// Memory asks for the most memory that the processes there ever held; Last for how many of them and of their threads there are, and
	// whether one has this descriptor.
	Memory bool  `json:",omitempty"`
	Last   int   `json:",omitempty"`
	Write  *File `json:",omitempty"`
}

// A reply is what came of a request; descriptors may come with it.
type reply struct {
	Error       string       `json:",omitempty"`
	Unavailable bool         `json:",omitempty"` // the system does not permit it
	Held        []Protection `json:",omitempty"`
	Memory      int64        `json:",omitempty"` // in bytes
	Threads     int          `json:",omitempty"`
	Full        bool         `json:",omitempty"`
}

// maxControl bounds a message. Requests hold bundles of certificates and fixtures.
const maxControl = 64 << 20

// controlTimeout is how long the other end may take. Setting up takes milliseconds; a machine
// under load may take seconds.
const controlTimeout = 60 * time.Second

// A control is one end of the socket.
type control struct {
	mu   sync.Mutex // one request at a time
	file *os.File
}

// ask sends a request and waits for its reply and the descriptors that come with it.
func (c *control) ask(r request, fds ...int) (reply, []*os.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := sendMessage(c.file, r, fds); err != nil {
		return reply{}, nil, fmt.Errorf("the sandbox does not answer: %w", err)
	}
	var got reply
	files, err := receiveMessage(c.file, &got)
	if err != nil {
		return reply{}, files, fmt.Errorf("the sandbox does not answer: %w", err)
	}
	if got.Error != "" {
		closeAll(files)
		err := errors.New(got.Error)
		if got.Unavailable {
			err = fmt.Errorf("%w: %s", ErrUnavailable, got.Error)
		}
		return got, nil, err
	}
	return got, files, nil
}

// end ends the conversation, upon which the first process ends.
func (c *control) end() {
	if raw, err := c.file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) }) // ends a request that waits
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.file.Close()
}

// sendMessage sends a value as JSON behind its length, and descriptors with it.
func sendMessage(f *os.File, v any, fds []int) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(text) > maxControl {
		return fmt.Errorf("a message of %d bytes is too long", len(text))
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	if err := unix.Sendmsg(int(f.Fd()), head, rights, nil, unix.MSG_NOSIGNAL); err != nil {
		return err
	}
	_, err = f.Write(text)
	return err
}

// maxFiles bounds the descriptors of one message.
const maxFiles = 200

// receiveMessage receives a value and the descriptors that come with it. io.EOF is the end.
func receiveMessage(f *os.File, v any) ([]*os.File, error) {
	head, rights := make([]byte, 4), make([]byte, unix.CmsgSpace(4*maxFiles))
	n, nrights, err := receiveRetry(int(f.Fd()), head, rights)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	files := filesOf(rights[:nrights])
	if _, err := io.ReadFull(f, head[n:]); err != nil {
		return files, err
	}
	size := binary.BigEndian.Uint32(head)
	if size > maxControl {
		return files, fmt.Errorf("a message of %d bytes is too long", size)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(f, text); err != nil {
		return files, err
	}
	return files, json.Unmarshal(text, v)
}

func receiveRetry(fd int, head, rights []byte) (n, nrights int, err error) {
	for {
		n, nrights, _, _, err = unix.Recvmsg(fd, head, rights, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			return n, nrights, err
		}
	}
}

// filesOf takes the descriptors out of a control message.
func filesOf(rights []byte) []*os.File {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	var files []*os.File
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "from the sandbox"))
		}
	}
	return files
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing was written
	}
}

// socketPair returns two connected sockets, both closed on exec.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	limit := unix.NsecToTimeval(controlTimeout.Nanoseconds())
	_ = unix.SetsockoptTimeval(fds[0], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit) // without it a broken peer is waited for until it is killed
	return os.NewFile(uintptr(fds[0]), "sandbox"), os.NewFile(uintptr(fds[1]), "sandbox"), nil
}
