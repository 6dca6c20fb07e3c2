package trace

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Whatever a file holds, reading ends, and what was read is what is written again.
func FuzzRead(f *testing.F) {
	f.Add(written(f, full()))
	f.Add(`{"format":"gauntlet-trace","version":"1.1","tool":"","part":1}` + "\n" + `{"gap":{"lost":2,"why":"x"}}` + "\n" + `{"end":{"messages":0,"lost":2,"next":"b"}}`)
	f.Add(head + `{"seq":1,"direction":"to_server","kind":"request","raw":"{}","http":{"headers":[{"name":"a"}]}}` + "\n{")
	f.Fuzz(func(t *testing.T, text string) {
		limits := Limits{Payload: 1 << 10, Messages: 100}
		got, err := Read(strings.NewReader(text), limits)
		if err != nil {
			return
		}
		for _, m := range got.Messages {
			if m.HTTP != nil && withholdSecrets(m.HTTP) != m.HTTP {
				return // somebody else's trace with a credential in it does not come out as it went in
			}
		}
		again, err := Read(strings.NewReader(written(t, got.Messages...)), limits)
		if err != nil || again.Unread != 0 {
			t.Fatalf("what was read cannot be written: %v, %v", err, again.Problems)
		}
		if !reflect.DeepEqual(again.Messages, got.Messages) {
			t.Errorf("read  %+v\nagain %+v", got.Messages, again.Messages)
		}
	})
}

// Whatever bytes a peer sends, they come back as they were.
func FuzzWrite(f *testing.F) {
	f.Add("{\"jsonrpc\":\"2.0\"}", "7", "tools/call", "text/html", int64(1))
	f.Add("\xff\n\r\x00\u2028", "\"\xc3\"", "\x1b[31m", "", int64(0))
	f.Fuzz(func(t *testing.T, raw, id, method, header string, nanos int64) {
		valid := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
		m := Message{Seq: 1, Time: time.Unix(0, nanos).UTC(), Direction: ToClient, Kind: Invalid, Raw: raw, ID: valid(id), Method: valid(method),
			HTTP: &HTTP{Headers: []Field{{Name: "Content-Type", Value: valid(header)}}}}
		text := written(t, m)
		if n := bytes.Count([]byte(text), []byte("\n")); n != 3 {
			t.Fatalf("%d lines, want 3", n)
		}
		for line := range strings.Lines(text) {
			if err := validate(t, line); err != nil {
				t.Errorf("%v in\n%s", err, line)
			}
		}
		got, err := Read(strings.NewReader(text), Limits{})
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("Read: %v, %v", err, got)
		}
		if !reflect.DeepEqual(got.Messages[0], m) {
			t.Errorf("got  %+v\nwant %+v", got.Messages[0], m)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var ms []Message
	for seq := 1; seq <= 1000; seq++ {
		ms = append(ms, Message{Seq: seq, Time: time.Unix(int64(seq), 0).UTC(), Actor: "default", Server: "files", Protocol: "mcp", Role: AsServer,
			Direction: ToServer, Kind: Request, ID: "1", Method: "tools/call",
			Raw: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"/home/user/notes.txt"}}}`})
	}
	text := written(b, ms...)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Whatever the files of a trace hold, reading them ends, and each message stands where it is said to.
func FuzzReadParts(f *testing.F) {
	f.Add(head11+message("1")+`{"end":{"messages":1,"next":"b"}}`, strings.Replace(head11, `"tool"`, `"part":2,"tool"`, 1)+message("2")+`{"end":{"messages":1,"next":"b"}}`)
	f.Add(head11+`{"end":{"messages":0,"next":"../b"}}`, "")
	f.Fuzz(func(t *testing.T, first, second string) {
		opened := 0
		got, err := ReadParts(strings.NewReader(first), Limits{Payload: 1 << 10, Messages: 100}, func(string) (io.ReadCloser, error) {
			if opened++; opened > 1000 {
				t.Fatal("one file is opened again and again")
			}
			return io.NopCloser(strings.NewReader(second)), nil
		})
		if err != nil {
			return
		}
		for i, m := range got.Messages {
			text := first
			if got.FileOf(i) != "" {
				text = second
			}
			lines := strings.Split(text, "\n")
			if n := got.Lines[i]; n < 1 || n > len(lines) || !strings.Contains(lines[n-1], "seq") && !strings.Contains(lines[n-1], `\u`) {
				t.Errorf("message %d does not stand in line %d of %q", m.Seq, n, got.FileOf(i))
			}
		}
	})
}
