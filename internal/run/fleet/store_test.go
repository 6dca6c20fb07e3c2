package fleet

import (
	"bytes"
	"testing"
)

// The first entry of a job stays, unless it is worth nothing or was forgotten.
func TestRecord(t *testing.T) {
	c, err := Home{t.TempDir()}.Begin(Access{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, err := c.Create(t.Context(), "recorded", DefaultReserve())
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
