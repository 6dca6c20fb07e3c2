package clause

// compose gives tokens classes that words have in company only: "everything the user has
// said" is the conversation, "the instructions the assistant was configured with" is the
// system prompt, "rows fetched by another tool" is what other tools returned. It looks a
// few words back, so it is linear.
func (r *framer) compose(a, b int) {
	for i := a; i < b; i++ {
		t := &r.toks[i]
		switch {
		case t.has(ident) && i+1 < b && r.toks[i+1].has(param) && r.toks[i+1].flags&fresh == 0:
			t.set = t.set.without(setOf(ident)) // "the send_as_mms parameter" is no tool
			t.set.add(param)
		case t.has(ident) && r.inFieldList(a, i):
			t.set = t.set.without(setOf(ident)) // "the fields `reserved_by` and `reserved_at`"
			t.set.add(param)
		case t.has(spoken) && r.near(a, i, 8, setOf(user, users, model, your)) && r.near(a, i, 9, setOf(every, full, content)):
			t.set.add(convo)
		case t.has(convo) && i+2 < b && r.toks[i+1].has(of) && r.ofAnother(i+2, b):
			t.set = t.set.without(setOf(convo))
		case t.has(env) && r.around(a, b, i, 5, setOf(yield, every, full, content)):
			t.set.add(envName)
		case t.has(message) && r.near(a, i, 3, setOf(user, users)) && !r.followed(i, b, setOf(handle)):
			t.set.add(utterance)
			if r.near(a, i, 4, setOf(every, full)) {
				t.set.add(convo)
			}
		case t.set.any(setOf(origin, model, your)) && r.near(a, i, 7, setOf(instr)):
			if r.near(a, i, 8, setOf(model, your)) && r.near(a, i, 8, setOf(origin)) || t.has(origin) && r.around(a, b, i, 7, setOf(model, your)) || t.has(model) && r.around(a, b, i, 5, setOf(origin)) {
				t.set.add(sysPrompt)
			}
		case t.has(instr) && r.near(a, i, 4, setOf(origin)) && r.near(a, i, 5, setOf(your)):
			t.set.add(sysPrompt)
			t.set.add(your)
		case t.set.any(setOf(otherTool, mailTool)) && r.near(a, i, 12, setOf(yield)) && r.near(a, i, 4, setOf(of, from, with, produced)):
			t.set.add(outside)
		case t.has(tool) && r.otherKind(i) && r.near(a, i, 8, setOf(yield)) && r.near(a, i, 6, setOf(of, from, with, produced)):
			t.set.add(outside)
		case t.has(ident) && t.flags&colonAfter == 0 && r.near(a, i, 5, setOf(produced)) && r.near(a, i, 6, setOf(yield)):
			t.set.add(outside)
		}
	}
}

// inFieldList reports whether the identifier at i stands right behind a word for fields, or is joined to another one that does.
func (r *framer) inFieldList(a, i int) bool {
	if r.toks[i].flags&fresh != 0 && r.toks[i].flags&commaPrior == 0 || i <= a {
		return false
	}
	before := i - 1
	if word := r.s[r.toks[before].start:r.toks[before].end]; (word == "and" || word == "or") && before > a {
		before--
		return identifier(r.s[r.toks[before].start:r.toks[before].end]) && r.toks[before].has(param)
	}
	return r.toks[before].has(param) && r.toks[before].flags&colonAfter == 0
}

// ofAnother reports whether the noun that begins at i names something else than this talk with
// its user: "the transcript of the meeting".
func (r *framer) ofAnother(i, b int) bool {
	for ; i < b; i++ {
		switch w := r.s[r.toks[i].start:r.toks[i].end]; w {
		case "the", "a", "an", "this", "that", "each", "your", "their":
			continue
		case "meeting", "call", "interview", "video", "episode", "lecture", "podcast", "hearing", "recording", "webinar", "meetings", "calls", "interviews", "videos", "audio", "speech", "talk":
			return true
		default:
			return false
		}
	}
	return false
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

func (r *framer) followed(i, b int, cs classSet) bool {
	return i+1 < b && r.toks[i+1].set.any(cs) && r.toks[i+1].flags&fresh == 0
}

// around is near for both sides.
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
