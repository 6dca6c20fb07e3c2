package broker

import (
	"bytes"
	"fmt"
	"testing"
)

// The first entry of a job stays, unless it is worth nothing or was forgotten.
func TestRecord(t *testing.T) {
	e, err := StartEmbedded(t.TempDir(), 0, "token")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c, err := Connect(accessTo(e))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, err := c.Create(t.Context(), "recorded", DefaultLimits(64<<10))
	if err != nil {
		t.Fatal(err)
	}
	put := func(text, want string) {
		t.Helper()
		err := f.Index.Swap(t.Context(), "job", func(there []byte) []byte {
			if there != nil && !bytes.HasPrefix(there, []byte("failed")) {
				return nil
			}
			return []byte(text)
		})
		if err != nil {
			t.Error(err)
		}
		if there, err := f.Index.Get(t.Context(), "job"); err != nil || string(there) != want {
			t.Errorf("after %q: %q, %v; want %q", text, there, err, want)
		}
	}
	put("failed once", "failed once")
	put("result", "result")
	put("another", "result")
	if err := f.Index.Delete(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	put("second", "second")
}

func accessTo(e *Embedded) Access {
	return Access{URL: fmt.Sprint("nats://127.0.0.1:", e.Port), Token: func() string { return "token" }}
}
