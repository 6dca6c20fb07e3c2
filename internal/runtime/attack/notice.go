package attack

import "sync"

// A NoticeKind says what a Notice is about.
type NoticeKind string

// The kinds.
const (
	Skipped     NoticeKind = "skipped_actor" // an actor or an action that this runtime does not play
	Unplayed    NoticeKind = "unplayed"      // a part of the document that could not be played, or not to this peer
	Template    NoticeKind = "W-004"         // W-004: a reference meant nothing
	Synthesized NoticeKind = "W-006"         // W-006: what a model was to write
	Violation   NoticeKind = "sep_2260"      // SEP-2260: a request of the server's that belongs to none of the client's
	Logged      NoticeKind = "log"           // what the document itself says, by an action
	Trouble     NoticeKind = "trouble"       // the run itself, or the peer
)

// A Notice is something that whoever reads the verdict should know: nothing of a document
// is left out silently. Its text quotes documents and peers.
type Notice struct {
	Kind  NoticeKind `json:"kind"`
	Actor string     `json:"actor,omitempty"`
	Phase string     `json:"phase,omitempty"`
	Text  string     `json:"text"`
}

// maxNotices bounds what is told of one run; peers may cause notices at will.
const maxNotices = 1000

// notices tells each Notice once.
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
