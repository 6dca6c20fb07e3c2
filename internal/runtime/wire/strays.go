package wire

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

// Strays counts the messages a peer sent beside the expected answers.
type Strays struct {
	Total         int // all below, and empty lines
	Notifications int
	Requests      int // from the peer; ping is answered, the others are refused
	Unanswered    int // those of Requests whose answer found no room in the send queue
	Late          int // answers to a request that already had one or was abandoned
	Unknown       int // answers to requests that were never made
	Refused       int // our messages that failed over HTTP while nobody waited
	// Disputed lists the methods of requests answered twice: first under their id in another type, then correctly. Clients that
	// compare ids strictly take the second answer. Twice lists those whose second answer says something else than the first.
	Disputed, Twice []string
	Noise           Noise
}

// Noise is text in place of messages, such as a log on stdout.
type Noise struct {
	Count int      // lines
	Lines []string // the first noiseLines of them, each cut to noiseBytes, secrets removed
	Last  string   // the latest line, and why it is no message
	Ours  int      // those of Count with a result: broken answers
}

const (
	noiseLines = 20
	noiseBytes = 500
	// maxID bounds the ids that are sent back; a peer could make one as long as a message.
	maxID = 1 << 10
)

// noteStray counts a message that answers nothing, and answers it if it is a request.
func (c *Client) noteStray(m Message) {
	c.seen.Total++
	switch m.Kind {
	case Notification:
		c.seen.Notifications++
		if c.Heard != nil {
			c.Heard(m)
		}
	case Request:
		c.seen.Requests++
		c.answerRequest(m)
	case Response, Error:
		if id, err := strconv.ParseInt(AnswerID(m.ID), 10, 64); err == nil && id > 0 && id <= c.last {
			c.seen.Late++
			if i := slices.IndexFunc(c.taken, func(t taken) bool { return t.id == AnswerID(m.ID) }); i >= 0 {
				switch t := c.taken[i]; {
				case t.loose && t.id == m.ID:
					c.seen.Disputed = append(c.seen.Disputed, t.method)
				case t.content != contentOf(&m):
					c.seen.Twice = append(c.seen.Twice, t.method)
				default:
					return
				}
				c.taken = slices.Delete(c.taken, i, i+1)
			}
		} else {
			c.seen.Unknown++
		}
	default:
		c.seen.Noise.addNoise(m, c.redact)
	}
}

// misdirected counts the answers that reached no request because of their ids or form.
func (s *Strays) misdirected() int { return s.Unknown + s.Noise.Ours }

// answerRequest answers a request of the peer. It never waits: a peer that sends requests without reading must not keep us from the
// answer that it has sent.
func (c *Client) answerRequest(m Message) {
	member, value := "error", EncodeError(mcp.CodeMethodNotFound, "Method not found", "")
	if m.Method == mcp.Ping {
		member, value = "result", "{}"
	} else if c.Answer != nil {
		if result, ok := c.Answer(m.Method, m.Params); ok {
			member, value = "result", result
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if len(m.ID) > maxID || c.conn.Send(done, []byte(EncodeAnswer(m.ID, member, value))) != nil {
		c.seen.Unanswered++
	}
}

func (n *Noise) addNoise(m Message, redact func(string) string) {
	if strings.Trim(m.Raw, " \t\r\n") == "" {
		return
	}
	n.Count++
	if m.Result != "" {
		n.Ours++
	}
	n.Last = quoteBody(redact(excerpt.Clip(m.Raw, 4*noiseBytes))) + ": " + m.Note
	if len(n.Lines) < noiseLines {
		// Cloned: otherwise 500 bytes could keep a line of 64 MiB in memory.
		n.Lines = append(n.Lines, strings.Clone(excerpt.Clip(redact(m.Raw), noiseBytes)))
	}
}

// since says in words what arrived after before was taken, or returns "".
func (s Strays) since(before Strays) string {
	var parts []string
	add := func(n int, one, many string) {
		if n == 1 {
			parts = append(parts, "1 "+one)
		} else if n > 1 {
			parts = append(parts, strconv.Itoa(n)+" "+many)
		}
	}
	add(s.Unknown-before.Unknown, "answer with an unknown id", "answers with unknown ids")
	add(s.Late-before.Late, "late answer", "late answers")
	add(s.Requests-before.Requests, "request", "requests")
	add(s.Unanswered-before.Unanswered, "answer of ours that it did not read", "answers of ours that it did not read")
	add(s.Refused-before.Refused, "message of ours that was not taken", "messages of ours that were not taken")
	add(s.Notifications-before.Notifications, "notification", "notifications")
	noise := s.Noise.Count - before.Noise.Count
	add(noise, "line that is no message", "lines that are no messages")
	if noise > 0 {
		parts[len(parts)-1] += " (" + s.Noise.Last + ")"
	}
	return strings.Join(parts, ", ")
}
