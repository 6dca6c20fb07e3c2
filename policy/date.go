package policy

import (
	"fmt"
	"time"
)

// A Date is a day as YYYY-MM-DD, comparable as a string; the zero Date is none.
type Date string

// ParseDate parses a day of the Gregorian calendar.
func ParseDate(s string) (Date, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", fmt.Errorf("%q is not a date: want one such as 2027-01-31", s)
	}
	return Date(s), nil
}

// DateOf returns the day of t in UTC, so that a decision expires everywhere at the same moment.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }
