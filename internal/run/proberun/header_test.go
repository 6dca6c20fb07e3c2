package proberun

import "testing"

// A field counts in the header alone: a body may hold any line.
func TestHasHeader(t *testing.T) {
	for _, tt := range []struct {
		name string
		from []string // headers
		want bool
	}{
		{"a request", []string{headerOf("Title: x\nX-Gauntlet-Abc: 1\n\nbody")}, true},
		{"the body of a request", []string{headerOf("Title: x\n\nx\nX-Gauntlet-Abc: 1\n")}, false},
		{"within a field", []string{headerOf("Title: x X-Gauntlet-Abc: 1\n\n")}, false},
		{"a mail", mailHeaders("EHLO a\r\nDATA\r\nSubject: x\r\nX-Gauntlet-abc: 1\r\n\r\nhello\r\n.\r\nQUIT\r\n"), true},
		{"the second mail", mailHeaders("EHLO a\r\nDATA\r\nSubject: x\r\n\r\nhello\r\n.\r\nDATA\r\nX-Gauntlet-abc: 1\r\n\r\n.\r\n"), true},
		{"the body of a mail", mailHeaders("EHLO a\r\nDATA\r\nSubject: x\r\n\r\nX-Gauntlet-abc: 1\r\n.\r\n"), false},
		{"a command of SMTP", mailHeaders("EHLO a\r\nX-Gauntlet-abc: 1\r\nDATA\r\nSubject: x\r\n\r\n.\r\n"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var g testbed
			for _, header := range tt.from {
				g.addMessage(sighting{}, header)
			}
			if got := g.hasHeader("X-Gauntlet-abc", 0); got != tt.want {
				t.Errorf("a header was found: %v, want %v", got, tt.want)
			}
		})
	}
}
