package sandbox

import (
	"bufio"
	"io"
	"strings"
	"time"
)

// mostMailLines bounds one conversation of SMTP.
const mostMailLines = 20_000

// serveMail takes messages by SMTP, from anybody to anybody; clients of other protocols in which the server begins say at least
// who they are. greets has it begin.
func (k *sinkhole) serveMail(s *stream, greets bool) {
	say := func(line string) bool {
		_, err := io.WriteString(s, line+"\r\n")
		return err == nil
	}
	var all strings.Builder
	keep := func(line string) {
		if all.Len() < MaxText {
			all.WriteString(cutText(line, MaxText-all.Len()))
		}
	}
	defer func() {
		if all.Len() > 0 {
			e := s.event(Mail)
			e.Text = all.String()
			e.Canaries = union(s.search(), k.piece(s.host, e.Text, s.turn))
			s.say(e)
		}
	}()
	ok := !greets || say("220 "+s.host+" ESMTP ready")
	inData := false
	for range mostMailLines {
		if !ok {
			return
		}
		_ = s.SetReadDeadline(time.Now().Add(idleTimeout))
		line, err := s.in.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
		keep(string(line))
		s.unknown, s.rest = s.in.Buffered(), s.rest[:0]
		command := strings.ToUpper(strings.TrimSpace(string(line[:min(len(line), 10)])))
		switch {
		case inData:
			if strings.TrimRight(string(line), "\r\n") == "." {
				inData, ok = false, say("250 2.0.0 queued")
			}
		case err == bufio.ErrBufferFull:
			ok = say("500 5.5.2 line too long")
		case strings.HasPrefix(command, "EHLO"):
			ok = say("250-"+s.host) && say("250-AUTH PLAIN") && (s.network == "tls" || say("250-STARTTLS")) && say("250 8BITMIME")
		case strings.HasPrefix(command, "DATA"):
			inData, ok = true, say("354 go on")
		case strings.HasPrefix(command, "AUTH"):
			ok = say("235 2.7.0 accepted")
		case strings.HasPrefix(command, "QUIT"):
			_ = say("221 2.0.0 bye")
			return
		case strings.HasPrefix(command, "STARTTLS"):
			if say("220 2.0.0 go on") {
				k.serveTLS(s, func(inner *stream) { k.serveMail(inner, false) })
			}
			return
		default:
			ok = say("250 2.0.0 OK")
		}
	}
}
