package match

import (
	"math"
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	const unlimited = time.Duration(math.MaxInt64)
	for s, want := range map[string]time.Duration{
		"0s": 0, "30s": 30 * time.Second, "5m": 5 * time.Minute, "1h": time.Hour, "2d": 48 * time.Hour, "007s": 7 * time.Second,
		"PT30S": 30 * time.Second, "PT5M": 5 * time.Minute, "PT1H": time.Hour, "P2D": 48 * time.Hour, "PT0S": 0,
		"PT5M30S": 330 * time.Second, "PT1H30S": 3630 * time.Second, "P1DT12H30M15S": 131415 * time.Second, "P0DT1S": time.Second,
		"99999999999999999999s": unlimited, "999999999999d": unlimited, "P106751DT23H47M17S": unlimited,
	} {
		if got, err := ParseDuration(s); got != want || err != nil {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "s", "30", "abc", "1.5h", "-5s", "+5s", " 5s", "5s ", "5 s", "5ms", "5S", "5M", "1h30m", "P", "PT", "P1DT", "PT-30S", "PT1.5S",
		"PT5S30M", "PT1H1H", "P1H", "PT1D", "P1W", "P1M", "P1Y", "pt5s", "P1D1D", "PT5", "P5", "٣s", "PT1HT1S"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", s, got)
		}
	}
}

func FuzzDuration(f *testing.F) {
	f.Add("P1DT12H30M15S")
	f.Add("30s")
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := ParseDuration(s); d < 0 || err != nil && d != 0 || d%time.Second != 0 && d != math.MaxInt64 {
			t.Errorf("ParseDuration(%q) = %v, %v", s, d, err)
		}
	})
}
