package sandbox

import (
	"crypto/sha1" // what RFC 6455 has servers prove themselves by
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"strings"
	"time"
)

func wantsWebSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && r.Header.Get("Sec-WebSocket-Key") != ""
}

// serveWebSocket agrees to a WebSocket and records its frames without their masks, which would hide what is in them.
func (k *sinkhole) serveWebSocket(s *stream, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	head := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n"
	if _, err := io.WriteString(s, head); err != nil {
		return
	}
	for {
		_ = s.SetReadDeadline(time.Now().Add(idleTimeout))
		kind, payload, err := readFrame(s.in)
		if err != nil {
			return // what was read of it is not understood
		}
		if len(payload) > 0 {
			e := s.event(Data)
			text := string(payload)
			e.Text, e.Canaries = cutText(text, MaxText), k.search(s.host, text, s.turn)
			s.say(e)
		}
		s.understood()
		const closing, ping, pong = 8, 9, 10
		switch kind {
		case closing:
			_, _ = s.Write([]byte{0x80 | closing, 0})
			return
		case ping:
			_, _ = s.Write(append([]byte{0x80 | pong, byte(len(payload[:min(len(payload), 125)]))}, payload[:min(len(payload), 125)]...))
		}
	}
}

const (
	maxPayload = 256 << 10 // bytes of a frame
	compressed = 0x40      // the bit of a frame that says so
)

// readFrame reads a frame of a WebSocket, of a size that fits in memory. One that is compressed is so also where nobody agreed to it.
func readFrame(in io.Reader) (kind byte, payload []byte, err error) {
	read := func(n uint64) (b []byte) {
		if b = make([]byte, n); err == nil {
			_, err = io.ReadFull(in, b)
		}
		return b
	}
	head := read(2)
	size := uint64(head[1] & 0x7f)
	switch size {
	case 126:
		size = uint64(binary.BigEndian.Uint16(read(2)))
	case 127:
		size = binary.BigEndian.Uint64(read(8))
	}
	if size > maxPayload {
		return 0, nil, errTooMuch
	}
	var mask []byte
	if head[1]&0x80 != 0 {
		mask = read(4)
	}
	payload = read(size)
	for i := range payload {
		if mask != nil {
			payload[i] ^= mask[i%4]
		}
	}
	if head[0]&compressed != 0 && err == nil {
		payload = []byte(inflated(payload))
	}
	return head[0] & 15, payload, err
}
