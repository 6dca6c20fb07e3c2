package sandbox

import "testing"

func TestReadSize(t *testing.T) {
	for status, want := range map[string]int64{
		"Name:\tnode\nVmPeak:\t 9 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n": 2 << 20,
		"Name:\tkthreadd\nState:\tS\n":                                      0,
		"VmHWM:\t-1 kB\n":                                                   0,
		"VmHWM:\tmany kB\n":                                                 0,
		"Name:\tVmHWM: 5 kB\nVmHWM:\t1 kB":                                  1 << 10,
	} {
		if got := readSize(status, "VmHWM:"); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
}
