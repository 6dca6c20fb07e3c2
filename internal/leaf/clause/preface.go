package clause

// noWeight decides nothing.
const noWeight = -1 << 15

// maxPreface is how many words a preface may have.
const maxPreface = 7

// scoreBehindPreface weighs sentence i without the purpose that it begins with: "For audit, …", "To monitor quality, …", "As part of our
// policy, …". Whoever reworks a text can put one before each sentence, so it must not make a sentence lighter. It returns a weight
// that decides nothing where there is none.
func (r *Reader) scoreBehindPreface(i int) int {
	whole := r.contents[i]
	from := r.behindPreface(&whole)
	if from < 0 {
		return noWeight
	}
	rest := r.contentOf(from, whole.to, nil)
	rest.opening = whole.opening
	r.contents[i] = rest
	signs := r.signs
	r.signs = r.signsOf(nil, i)
	weight := r.score(&rest)
	r.signs, r.contents[i] = signs, whole
	return weight
}

// behindPreface returns the first mark behind the preface of a sentence, -1 if it has none.
func (r *Reader) behindPreface(g *sentenceContent) int {
	ms := r.evidence.marks
	if g.foreign || !prefaceWords[ms[g.from].spelling] {
		return -1
	}
	for k := g.from + 1; k < g.to && k <= g.from+maxPreface; k++ {
		if r.framer.toks[ms[k].token].flags&commaPrior != 0 {
			if k+2 > g.to || r.assetsOf(&sentenceContent{from: g.from, to: k}) != 0 {
				return -1
			}
			return k
		}
		if ms[k].set.oneOf(cOwnParam, cParamWord, cAddress, cElsewhere, cStranger) {
			return -1
		}
	}
	return -1
}

// prefaceWords are what the statement of a purpose or a reason begins with. Conditions do not count: they say when something holds.
var prefaceWords = map[string]bool{"for": true, "to": true, "as": true, "in": true, "per": true, "due": true, "given": true, "because": true}
