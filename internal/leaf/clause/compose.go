package clause

// compose gives tokens classes that words have in company only: "the instructions the assistant was configured with" is
// the system prompt, "rows fetched by another tool" is what other tools returned. It looks a few words back, so it is linear.
func (r *framer) compose(a, b int) {
	for i := a; i < b; i++ {
		t := &r.toks[i]
		switch {
		case t.has(env) && r.around(a, b, i, 5, setOf(yield, every, full, content)):
			t.set.add(envName)
		case t.set.any(setOf(origin, model, your)) && r.near(a, i, 7, setOf(instr)):
			if r.near(a, i, 8, setOf(model, your)) && r.near(a, i, 8, setOf(origin)) || t.has(origin) && r.around(a, b, i, 7, setOf(model, your)) || t.has(model) && r.around(a, b, i, 5, setOf(origin)) {
				t.set.add(sysPrompt)
			}
		case t.set.any(setOf(otherTool, mailTool)) && r.near(a, i, 12, setOf(yield)) && r.near(a, i, 4, setOf(of, from, with, produced)):
			t.set.add(outside)
		}
	}
}

// near reports whether one of the n tokens before i, within the sentence, has a class.
func (r *framer) near(a, i, n int, cs classSet) bool {
	for j := i - 1; j >= a && i-j <= n; j-- {
		if r.toks[j].set.any(cs) {
			return true
		}
	}
	return false
}

func (r *framer) around(a, b, i, n int, cs classSet) bool {
	if r.near(a, i, n, cs) {
		return true
	}
	for j := i + 1; j < b && j-i <= n; j++ {
		if r.toks[j].set.any(cs) {
			return true
		}
	}
	return false
}
