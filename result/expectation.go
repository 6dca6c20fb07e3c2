package result

// An Expectation is what a suite expects of a result, and whether it was met.
type Expectation struct {
	Name string `json:"name"` // the step or the call that it is about
	File string `json:"file"`
	Line int    `json:"line"`
	Held bool   `json:"held"`
	// Message says what was found instead; "" where it held.
	Message string `json:"message,omitempty"`
}

// Failed returns how many expectations did not hold.
func (r *Report) Failed() int {
	n := 0
	for i := range r.Expectations {
		if !r.Expectations[i].Held {
			n++
		}
	}
	return n
}
