package broker

import (
	"bytes"
	"testing"
)

// The first entry of a job stays, unless it is worth nothing or was forgotten.
func TestRecord(t *testing.T) {
	e, err := StartEmbedded(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c, err := Connect(Access{Embedded: e, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, err := c.Create(t.Context(), "recorded", DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	put := func(text, want string) {
		t.Helper()
		written, err := f.Record(t.Context(), "job", []byte(text), func(there []byte) bool { return bytes.HasPrefix(there, []byte("failed")) })
		if err != nil || written != (text == want) {
			t.Errorf("%q: written %t, %v", text, written, err)
		}
		if there, err := f.Entry(t.Context(), "job"); err != nil || string(there) != want {
			t.Errorf("after %q: %q, %v; want %q", text, there, err, want)
		}
	}
	put("failed once", "failed once")
	put("result", "result")
	put("another", "result")
	if err := f.Forget(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	put("second", "second")
}
