package sink

import "gauntlet/capability"

// Notes that a label can carry.
const (
	WeakSignal       = "weak_signal"       // the definition says so, and the source, read whole, does not
	SourceIncomplete = "source_incomplete" // the source could not be read whole, so its silence means nothing
)

// Combine joins what the definition says about a tag with what its handler does, and
// returns the confidence of the label, "" for no label, and a note or "".
//
// Confirmed by a strong call, a label is high. Not confirmed, it is low when the whole chain of
// calls was read; otherwise it stays as it was. What the source alone says is medium when
// it is strong, since the definition's silence speaks against it, and low when it is weak. A weak call neither
// raises nor lowers.
func Combine(said capability.Confidence, tag capability.Tag, h *Handler) (capability.Confidence, string) {
	strength, _ := h.Support(tag)
	switch {
	case strength == Strong && said != "":
		return capability.High, ""
	case strength == Strong:
		return capability.Medium, ""
	case strength == Weak && said == "":
		return capability.Low, ""
	case strength == Weak || said == "":
		return said, ""
	case h.Complete():
		return capability.Low, WeakSignal
	}
	return said, SourceIncomplete
}
