package proberun

import "testing"

// A field counts in the header alone: a body may hold any line.
func TestHasHeader(t *testing.T) {
	for _, tt := range []struct {
		name string
		g    testbed
		want bool
	}{
		{"a request", testbed{calls: []serviceCall{{Head: "Title: x\nX-Gauntlet-Abc: 1\n\nbody"}}}, true},
		{"the body of a request", testbed{calls: []serviceCall{{Head: "Title: x\n\nx\nX-Gauntlet-Abc: 1\n"}}}, false},
		{"within a field", testbed{calls: []serviceCall{{Head: "Title: x X-Gauntlet-Abc: 1\n\n"}}}, false},
		{"a mail", testbed{headers: mailHeaders("EHLO a\r\nDATA\r\nSubject: x\r\nX-Gauntlet-abc: 1\r\n\r\nhello\r\n.\r\nQUIT\r\n")}, true},
		{"the second mail", testbed{headers: mailHeaders("EHLO a\r\nDATA\r\nSubject: x\r\n\r\nhello\r\n.\r\nDATA\r\nX-Gauntlet-abc: 1\r\n\r\n.\r\n")}, true},
		{"the body of a mail", testbed{headers: mailHeaders("EHLO a\r\nDATA\r\nSubject: x\r\n\r\nX-Gauntlet-abc: 1\r\n.\r\n")}, false},
		{"a command of SMTP", testbed{headers: mailHeaders("EHLO a\r\nX-Gauntlet-abc: 1\r\nDATA\r\nSubject: x\r\n\r\n.\r\n")}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.g.hasHeader("X-Gauntlet-abc", moment{}); got != tt.want {
				t.Errorf("a header was found: %v, want %v", got, tt.want)
			}
		})
	}
}
