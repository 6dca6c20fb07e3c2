package attack

import "sync"

// A NoticeKind says what a Notice is about.
type NoticeKind string

// The kinds.
const (
	Skipped     NoticeKind = "skipped_actor" // an actor or an action that this runtime does not play
	Unplayed    NoticeKind = "unplayed"      // a part of the document that could not be played, at all or with this peer
	Template    NoticeKind = "W-004"         // W-004: an unresolved reference
	Synthesized NoticeKind = "W-006"         // W-006: text written by a model
	Violation   NoticeKind = "sep_2260"      // SEP-2260: a server request outside any client request
	Logged      NoticeKind = "log"           // logged by the document itself, by an action
	Trouble     NoticeKind = "trouble"       // the run itself, or the peer
)

// A Notice is something that a reader of the verdict should know: nothing of a document is left out silently. Its text quotes
// documents and peers.
type Notice struct {
	Kind  NoticeKind `json:"kind"`
	Actor string     `json:"actor,omitempty"`
	Phase string     `json:"phase,omitempty"`
	Text  string     `json:"text"`
}

// maxNotices bounds the notices of a run; peers may cause any number.
const maxNotices = 1000

// notices reports each Notice once.
type notices struct {
	mu   sync.Mutex
	told map[Notice]bool
	tell func(Notice)
}

func newNotices(tell func(Notice)) *notices {
	return &notices{told: map[Notice]bool{}, tell: tell}
}

func (n *notices) addNotice(one Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.tell == nil || n.told[one] || len(n.told) > maxNotices:
		return
	case len(n.told) == maxNotices:
		one = Notice{Kind: Trouble, Text: "there are more notices than are told"}
	}
	n.told[one] = true
	n.tell(one)
}
