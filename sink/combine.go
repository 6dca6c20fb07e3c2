package sink

import (
	"slices"

	"gauntlet/capability"
)

// Notes that a label can carry.
const (
	WeakSignal       = "weak_signal"       // the definition says so, and the source, read whole, does not
	SourceIncomplete = "source_incomplete" // the source could not be read whole, so its silence means nothing
)

// Near is how many calls away a sink may lie for the source to give a label that the definition says nothing of.
const Near = 1

// Far is how many calls away from its handler a sink may lie for the source to confirm what the definition only hints at.
// What lies farther is mostly what the server does to be able to work at all (open a tunnel, read its
// configuration), and hardly what the tool is for.
const Far = 3

// Combine merges what the definition says about a tag with what the handler does, and returns the
// confidence of the label, "" for no label, and a note or "".
//
// Confirmed by a strong call, a label is high. Not confirmed, it is low when the whole chain of
// calls was read, no package was called that might do it, and no service is asked that could do it instead; otherwise it stays as it
// was. So does secret_access, since no call is needed to answer with a credential that the
// source holds. What the source alone says is medium when it is strong and near, since the
// definition's silence speaks against it, else low. A weak call neither raises nor lowers, nor
// does one far away where the definition hints only.
func Combine(said capability.Confidence, tag capability.Tag, h *Handler) (capability.Confidence, string) {
	strength, calls := h.Support(tag)
	reaches := func(limit int) bool { return strength == Strong && len(calls[0].Chain) <= limit }
	switch {
	case said == "" && reaches(Near):
		return capability.Medium, ""
	case said != "" && reaches(Far), strength == Strong && said.AtLeast(capability.Medium):
		return capability.High, ""
	case strength != None && said == "":
		return capability.Low, ""
	case strength != None || said == "":
		return said, ""
	case tag == capability.SecretAccess:
		return said, ""
	case h.Complete() && !h.leaves(tag) && !slices.Contains(h.Maybe, tag):
		return capability.Low, WeakSignal
	}
	return said, SourceIncomplete
}

// leaves reports whether a handler that makes requests may leave it to the service that it asks:
// running code or working on a database. Files and sockets are those of this machine.
func (h *Handler) leaves(tag capability.Tag) bool {
	switch tag {
	case capability.Exec, capability.DBQuery, capability.DBWrite:
		asks, _ := h.Support(capability.NetEgress)
		return asks != None
	}
	return false
}
