package serve

// talk is the name under which tests of single messages know a conversation.
type talk = Talk
