package proberun

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"gauntlet/internal/leaf/excerpt"
)

// A Budget bounds a run by its calls, so that the trials do not depend on a machine's speed. Time is the backstop for a server that
// hardly answers. Zero stands for the defaults.
type Budget struct {
	Calls int
	Time  time.Duration
}

// Defaults of a Budget.
const (
	DefaultCalls = 5_000
	DefaultTime  = 10 * time.Minute // no honest server reaches it
	mostCalls    = 1_000_000
)

// Parse reads a number of calls or a duration, and leaves the other as it is.
func (b Budget) Parse(s string) (Budget, error) {
	if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= mostCalls {
		b.Calls = n
		return b, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return b, fmt.Errorf("%q is no budget: want a number of calls from 1 to %d, or a duration such as 2m", s, mostCalls)
	}
	b.Time = d
	return b, nil
}

// String tells the default of the flag.
func (b Budget) String() string { return strconv.Itoa(cmp.Or(b.Calls, DefaultCalls)) }

// A meter counts a run's calls against its budget.
type meter struct {
	Budget
	used, most int // calls made, and those permitted to the present part of the run
	ends       time.Time
	cut        string // what was refused first, and why; "" while nothing was
}

func (b Budget) begin() meter {
	b.Calls, b.Time = cmp.Or(b.Calls, DefaultCalls), cmp.Or(b.Time, DefaultTime)
	return meter{Budget: b, most: b.Calls, ends: time.Now().Add(b.Time)}
}

// spent reports whether no more calls may be made, and notes it: whoever asks has something left to try.
func (m *meter) spent() bool {
	spent := ""
	switch {
	case m.used >= m.most:
		spent = excerpt.Count(m.Calls, "call")
	case time.Now().After(m.ends):
		spent = m.Time.String()
	default:
		return false
	}
	m.cut = cmp.Or(m.cut, fmt.Sprintf("not everything was tried within a budget of %s: --budget allows more", spent))
	return true
}

// within runs work with a share of all calls, one part in so many.
func (m *meter) within(parts int, work func()) {
	whole := m.most
	m.most = min(whole, m.used+m.Calls/parts)
	work()
	m.most = whole
}
