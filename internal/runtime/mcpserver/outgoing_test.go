package mcpserver

import (
	"context"
	"strings"
	"testing"
)

// Whoever declines to deliver changes nothing, and whoever delivers has the say over every
// byte, the frame included.
func TestDeliverOverStdio(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n"
	said := func(deliver func(context.Context, *Outgoing) bool) string {
		var out strings.Builder
		s, err := New(State{Name: "t"}, Options{Deliver: deliver})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Stdio(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	plain := said(nil)
	if got := said(func(context.Context, *Outgoing) bool { return false }); got != plain {
		t.Errorf("declined: %q, want %q", got, plain)
	}
	got := said(func(_ context.Context, o *Outgoing) bool {
		if strings.Contains(o.Text, `"id":2`) {
			return false
		}
		begin, end := o.Frame()
		_, _ = o.Write([]byte(begin + "first" + end))
		return true
	})
	if want := "first\n" + plain[strings.Index(plain, "\n")+1:]; got != want {
		t.Errorf("delivered: %q, want %q", got, want)
	}
	got = said(func(_ context.Context, o *Outgoing) bool {
		_, _ = o.Write([]byte("half"))
		o.Close(false)
		if n, err := o.Write([]byte("more")); n != 0 || err == nil {
			t.Errorf("written behind the end: %d, %v", n, err)
		}
		return true
	})
	if got != "half" {
		t.Errorf("cut: %q", got)
	}
}
