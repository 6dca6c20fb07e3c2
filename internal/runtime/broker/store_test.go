package broker

import "testing"

// A job that fails again after its failure was forgotten is recorded again; else the first record stays.
func TestFailureAfterRetry(t *testing.T) {
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
	f, err := c.Create(t.Context(), "retried", DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	put := func(text, want string) {
		t.Helper()
		if err := f.PutFailure(t.Context(), "job", []byte(text)); err != nil {
			t.Fatal(err)
		}
		m, err := f.failed.GetLastMsgForSubject(t.Context(), f.subject("failed", "job"))
		if err != nil || string(m.Data) != want {
			t.Errorf("after %q: %+v, %v; want %q", text, m, err, want)
		}
	}
	put("first", "first")
	put("again", "first")
	if err := f.ForgetFailure(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	put("second", "second")
}
