package result

// An Expectation is an expectation of a suite and whether it was met.
type Expectation struct {
	Name string `json:"name"` // step or call
	File string `json:"file"`
	Line int    `json:"line"`
	Held bool   `json:"held"`
	// Message says what was found instead; "" if it held.
	Message string `json:"message,omitempty"`
}

// Failed returns the number of failed expectations.
func (r *Report) Failed() int {
	n := 0
	for i := range r.Expectations {
		if !r.Expectations[i].Held {
			n++
		}
	}
	return n
}
