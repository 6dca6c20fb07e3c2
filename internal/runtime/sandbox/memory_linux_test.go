package sandbox

import "testing"

func TestReadPeak(t *testing.T) {
	for status, want := range map[string]int64{
		"Name:\tnode\nVmPeak:\t 9 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n": 2 << 20,
		"Name:\tkthreadd\nState:\tS\n":                                      0,
		"VmHWM:\t-1 kB\n":                                                   0,
		"VmHWM:\tmany kB\n":                                                 0,
		"Name:\tVmHWM: 5 kB\nVmHWM:\t1 kB":                                  1 << 10,
	} {
		if got := readPeak(status); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
}
