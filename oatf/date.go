package oatf

import (
	"fmt"
	"time"
)

// A Date is a date or date-time as written in a document: 2026-02-15 or 2026-02-15T10:30:00Z (§4.2). Time parses it.
type Date string

// Time returns the moment, midnight UTC for a bare date. Anything but an ISO 8601 date or a date-time with a zone is an error.
func (d Date) Time() (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, string(d)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is neither a date (2026-02-15) nor a date-time with a zone (2026-02-15T10:30:00Z)", string(d))
}
