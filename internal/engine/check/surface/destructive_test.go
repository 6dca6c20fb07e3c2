package surface

import (
	"strings"
	"testing"
)

func TestNameWords(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"delete_file", "delete file"},
		{"deleteFile", "delete file"},
		{"HTTPDelete", "http delete"},
		{"DeleteHTTP2Route", "delete http route"},
		{"users.remove-all/v2", "users remove all v"},
		{"RM", "rm"},
		{"GroupsController_deleteGroup", "groups controller delete group"},
		{"élèveSupprimé", "élève supprimé"},
		{"\xffdelete\xff", "delete"},
		{"", ""},
		{"__1__", ""},
	} {
		var got []string
		for _, w := range nameWords(tt.in) {
			if strings.ToLower(tt.in[w.start:w.end]) != w.word {
				t.Errorf("nameWords(%q): %q stands at %q", tt.in, w.word, tt.in[w.start:w.end])
			}
			got = append(got, w.word)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("nameWords(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestDestructiveVerb(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"first word", "delete_file", "delete"},
		{"behind a namespace", "github_delete_repo", "delete"},
		{"behind an object", "file_delete", "delete"},
		{"third person", "wipesDisk", "wipes"},
		{"an object that is also a verb", "post_delete", "delete"},
		{"an object that can be lost", "clear_chat_messages", "clear"},
		{"an object that cannot", "clear_selection", ""},
		{"a form field", "reset_form", ""},
		{"a read verb in front", "get_delete_policy", ""},
		{"a read verb behind a namespace", "aws_list_delete_requests", ""},
		{"a participle", "list_deleted", ""},
		{"a participle alone", "deleted_items", ""},
		{"a noun", "drop_down", ""},
		{"a noun behind a namespace", "s3_delete_marker", ""},
		{"undoing", "undo_delete", ""},
		{"another verb with drop", "drag_and_drop", ""},
		{"a longer word", "dropbox_terminal", ""},
		{"no words", "123", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, ok := destructiveVerb(tt.in)
			if !ok {
				w.word = ""
			}
			if w.word != tt.want {
				t.Errorf("destructiveVerb(%q) = %q, want %q", tt.in, w.word, tt.want)
			}
		})
	}
}

func TestToldVerb(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Removes a user account and all its data", "Removes"},
		{"Permanently deletes the account.", "deletes"},
		{"This tool will erase everything", "erase"},
		{"Delete an item", "Delete"},
		{"Deletes nothing", ""},
		{"Archives a note. Deletes nothing.", ""},
		{"Removes the background of an image", ""},
		{"Remove a connection between two signals in the scene file", ""},
		{"Get the records that were deleted", ""},
		{"Sets after how many days backups are deleted", ""},
		{"Delete", ""},
		{"", ""},
	} {
		w, ok := toldVerb(tt.in)
		if got := tt.in[w.start:w.end]; ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("toldVerb(%q) = %q, %v; want %q", tt.in, got, ok, tt.want)
		}
	}
}

// TestDestructiveWords keeps the data free of lines that nothing reads.
func TestDestructiveWords(t *testing.T) {
	seen := map[string]string{}
	for line := range strings.Lines(destructiveWords) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		head, list, ok := strings.Cut(line, ":")
		kind, verb, _ := strings.Cut(head, " ")
		words := strings.Fields(list)
		switch {
		case !ok || len(words) == 0:
			t.Errorf("%q: want kind: words", line)
		case kind == "noun":
			if destructive.use[verb] != destroys && destructive.use[verb] != mayDestroy {
				t.Errorf("%q: %q is no destructive verb", line, verb)
			}
		case kind == "opener", kind == "told":
		case kind == "with":
			words = []string{verb}
			fallthrough
		case kind == "destroys", kind == "other":
			for _, w := range words {
				if seen[w] != "" {
					t.Errorf("%q stands under %q and %q", w, seen[w], head)
				}
				seen[w] = head
			}
		default:
			t.Errorf("%q: unknown kind", line)
		}
	}
}
