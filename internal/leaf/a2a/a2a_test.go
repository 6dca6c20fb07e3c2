package a2a

import (
	"testing"

	"gauntlet/rawjson"
)

func value(t testing.TB, text string) rawjson.Value {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return tree.Root()
}

func TestCanonical(t *testing.T) {
	for method, want := range map[string]string{"SendMessage": "message/send", "message/send": "message/send", "GetTask": "tasks/get", "no/such": "no/such"} {
		if got, isCurrent := Canonical(method); got != want || isCurrent != (method != want) {
			t.Errorf("%s: %s, %v", method, got, isCurrent)
		}
	}
}

func TestModern(t *testing.T) {
	in := `{"kind":"task","id":"1","status":{"state":"input-required","message":{"kind":"message","role":"agent","parts":[{"kind":"text","text":"state: ok"},{"kind":"data","data":{"kind":"x","role":"agent"}}]}},"odd":[1,"role"]}`
	want := `{"id":"1","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"role":"ROLE_AGENT","parts":[{"text":"state: ok"},{"data":{"kind":"x","role":"agent"}}]}},"odd":[1,"role"]}`
	if got := Modern(value(t, in)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if again := Modern(value(t, want)); again != want {
		t.Errorf("twice: %s", again)
	}
}

func TestForms(t *testing.T) {
	for _, tt := range []struct {
		text                   string
		task, message, wrapped bool
	}{
		{`{"id":"1","status":{"state":"completed"}}`, true, false, false},
		{`{"id":"1","status":"completed"}`, false, false, false},
		{`{"role":"agent","parts":[]}`, false, true, false},
		{`{"message":{"role":"ROLE_AGENT","parts":[]}}`, false, false, true},
		{`{"task":{"id":"1"}}`, false, false, true},
		{`{"message":"no"}`, false, false, false},
		{`[1]`, false, false, false},
	} {
		v := value(t, tt.text)
		if IsTask(v) != tt.task || IsMessage(v) != tt.message || IsWrapped(v) != tt.wrapped {
			t.Errorf("%s: task %v, message %v, wrapped %v", tt.text, IsTask(v), IsMessage(v), IsWrapped(v))
		}
	}
	if got := MessageText(value(t, `{"parts":[{"text":"a"},{"data":{"b": 1}},{"file":{}}]}`)); got != "a\n{\"b\":1}" {
		t.Errorf("text %q", got)
	}
}

// Whatever it is given, what it writes is JSON, and writing it twice changes nothing.
func FuzzModern(f *testing.F) {
	f.Add(`{"status":{"state":"completed"},"parts":[{"kind":"text"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var tree, out rawjson.Tree
		if tree.Parse(text, 0) != nil {
			return
		}
		once := Modern(tree.Root())
		if err := out.Parse(once, 0); err != nil {
			t.Fatalf("%v in %s", err, once)
		}
		if twice := Modern(out.Root()); twice != once {
			t.Fatalf("%s became %s", once, twice)
		}
	})
}
