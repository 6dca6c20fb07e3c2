package callgraph

import (
	"path"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

func (ev *evaluator) rowKind(name string) string { return ev.conv.Table.findRow(name).Kind() }

// isFixed reports whether nothing of a text is unknown but where the program lies.
func isFixed(text string) bool { return !strings.ContainsAny(text, unknownPart+tempPart) }

func isConstant(text string) bool { return !strings.ContainsAny(text, anyPart) }

// isTemporary reports whether a path leads to a temporary file: one made for the call, of which nothing is left, or nothing that anybody
// asked for.
func isTemporary(path string) bool { return strings.Contains(path, tempPart) }

// isOwnData reports whether a path leads into a directory of the server's own package, whatever file of it is chosen: what is read there
// came with the server. What is written there comes from its callers.
func isOwnData(path string) bool {
	below, own := strings.CutPrefix(path, placePart)
	if i := strings.IndexAny(below, unknownPart+tempPart); i >= 0 {
		below = below[:i]
	}
	return own && strings.Trim(below, "./\\"+placePart+madePart) != ""
}

// isOwnFile reports whether a path is fixed in the source: a template, a file beside the program. What the tool reads there is the
// server's, not the caller's.
func isOwnFile(path string) bool {
	return isFixed(path) && !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "~")
}

// isOwnScript reports whether an argument is the path of a file that comes with the server, and no option.
func isOwnScript(word string) bool {
	return isOwnFile(word) && (!isConstant(word) || path.Ext(word) != "" && !strings.HasPrefix(word, "-"))
}

// strengthOfPath returns how much it says that a call reads or writes a file: little of one that is the server's, and not its caller's.
func strengthOfPath(path string, reads bool) sink.Strength {
	if isOwnFile(path) || isTemporary(path) || reads && isOwnData(path) {
		return sink.Weak
	}
	return sink.Strong
}

// secretPath is a file that holds credentials, whoever's they are.
var secretPath = lazyregexp.New(`(^|[/\\])(\.env(\.[a-z]+)?|\.netrc|\.pgpass|\.git-credentials|\.npmrc|\.pypirc|id_(rsa|dsa|ecdsa|ed25519)|(etc[/\\])?(shadow|gshadow)|\.aws[/\\]credentials|\.kube[/\\]config|\.docker[/\\]config\.json|\.ssh([/\\].*)?|.*\.(pem|p12|pfx|keystore|jks))$`)
