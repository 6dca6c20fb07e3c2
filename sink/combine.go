package sink

import (
	"slices"

	"gauntlet/capability"
)

// Notes that a label can carry.
const (
	WeakSignal       = "weak_signal"       // the definition says so, but the completely read source does not
	SourceIncomplete = "source_incomplete" // the source could not be read completely, so its silence means nothing
)

// Near is the maximum distance, in calls, of a sink that gives a label which the definition does not mention.
const Near = 1

// Far is the maximum distance, in calls, of a sink that confirms what the definition only hints at. More distant ones
// mostly belong to the server's own operation (opening a tunnel, reading its configuration), not to the tool's purpose.
const Far = 3

// Combine merges what the definition says about a tag with what the handler does. It returns the confidence of the
// label, "" for no label, and a note or "".
//
// A label confirmed by a strong call is high. Unconfirmed, it is low if the whole chain of calls was read, no package was called that
// might do it, and no service is asked that could do it instead; otherwise it stays as it was. So does secret_access, since a
// credential in the source can be returned without any call. What only the source says is medium if strong and near, since the
// definition's silence speaks against it, otherwise low. A weak call changes nothing, nor does a far one if the definition only hints.
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

// leaves reports whether a handler that makes requests may leave this to the service: running code or using a database.
// Files and sockets are local.
func (h *Handler) leaves(tag capability.Tag) bool {
	switch tag {
	case capability.Exec, capability.DBQuery, capability.DBWrite:
		asks, _ := h.Support(capability.NetEgress)
		return asks != None
	}
	return false
}
