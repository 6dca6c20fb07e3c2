package match

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"gauntlet/internal/leaf/excerpt"
)

// ParseDuration parses a duration in a notation of SDK §5.2: a number with a unit (30s, 5m, 1h, 2d), or ISO 8601 with
// days, hours, minutes and seconds (PT5M30S, P1DT12H). Numbers are whole and not negative; ISO parts come in this
// order, at least one. A day has 24 hours. Longer durations are capped at the maximum of time.Duration, 292 years.
func ParseDuration(s string) (time.Duration, error) {
	var d time.Duration
	var err error
	if rest, ok := strings.CutPrefix(s, "P"); ok {
		d, err = parseISO(rest)
	} else {
		d, err = parseShort(s)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is no duration: %w", excerpt.Clip(s, mostQuoted), err)
	}
	return d, nil
}

const day = 24 * time.Hour

// A unit is a letter of a notation and its value.
type unit struct {
	letter byte
	length time.Duration
}

var (
	shortUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": day}
	dateUnits  = []unit{{'D', day}}
	timeUnits  = []unit{{'H', time.Hour}, {'M', time.Minute}, {'S', time.Second}}
)

func parseShort(s string) (time.Duration, error) {
	n, rest, err := leadingNumber(s)
	if err != nil {
		return 0, err
	}
	if length, ok := shortUnits[rest]; ok {
		return times(n, length), nil
	}
	return 0, errors.New("it needs one of the units s, m, h and d, as in 30s")
}

func parseISO(s string) (time.Duration, error) {
	date, clock, timed := strings.Cut(s, "T")
	if date == "" && !timed || timed && clock == "" {
		return 0, errors.New("a part is missing, as in PT30S")
	}
	d, err := sumUnits(date, dateUnits)
	if err != nil {
		return 0, err
	}
	t, err := sumUnits(clock, timeUnits)
	return plus(d, t), err
}

// sumUnits reads numbers with units in the given order, each at most once.
func sumUnits(s string, units []unit) (time.Duration, error) {
	var sum time.Duration
	for s != "" {
		n, rest, err := leadingNumber(s)
		if err != nil {
			return 0, err
		}
		i := 0
		for i < len(units) && (rest == "" || rest[0] != units[i].letter) {
			i++
		}
		if i == len(units) {
			return 0, errors.New("its parts are D, then behind a T H, M and S, in this order, as in P1DT12H")
		}
		sum = plus(sum, times(n, units[i].length))
		s, units = rest[1:], units[i+1:]
	}
	return sum, nil
}

// leadingNumber reads the digits at the start of s, capped at the largest int64.
func leadingNumber(s string) (n int64, rest string, err error) {
	i := 0
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if digit := int64(s[i] - '0'); n > (math.MaxInt64-digit)/10 {
			n = math.MaxInt64
		} else {
			n = n*10 + digit
		}
	}
	if i == 0 {
		return 0, s, errors.New("a whole number from 0 is missing")
	}
	return n, s[i:], nil
}

func times(n int64, length time.Duration) time.Duration {
	if n > math.MaxInt64/int64(length) {
		return math.MaxInt64
	}
	return time.Duration(n) * length
}

func plus(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
