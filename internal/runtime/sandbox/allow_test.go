package sandbox

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
)

// An allowed host is reached by the proxy of the environment, with what its URL says of a user, unless it is excepted.
func TestAllowedHostsThroughAProxy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	asked := make(chan string, 2)
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			q, err := http.ReadRequest(bufio.NewReader(c))
			if err != nil {
				return
			}
			user, password, _ := (&http.Request{Header: http.Header{"Authorization": q.Header["Proxy-Authorization"]}}).BasicAuth()
			asked <- q.Method + " " + q.Host + " " + user + ":" + password
			status := "200 OK"
			if user != "me" {
				status = "407 Proxy Authentication Required"
			}
			_, _ = io.WriteString(c, "HTTP/1.1 "+status+"\r\n\r\nhello")
			_ = c.Close()
		}
	}()
	at := l.Addr().String()
	for _, tt := range []struct{ proxy, address, asked, heard string }{
		{"HTTPS_PROXY=http://me:secret@" + at, "registry.example:443", "CONNECT registry.example:443 me:secret", "hello"},
		{"HTTPS_PROXY=http://" + at, "registry.example:443", "CONNECT registry.example:443 :", ""},
		{"http_proxy=http://me:secret@" + at, "registry.example:80", "CONNECT registry.example:80 me:secret", "hello"},
	} {
		c, err := newDialer([]string{tt.proxy})(context.Background(), tt.address)
		if got := <-asked; got != tt.asked || (err == nil) != (tt.heard != "") {
			t.Errorf("%s: asked %q, error %v", tt.proxy, got, err)
		}
		if err != nil {
			continue
		}
		if heard, _ := io.ReadAll(c); string(heard) != tt.heard {
			t.Errorf("%s: heard %q, want %q", tt.proxy, heard, tt.heard)
		}
		_ = c.Close()
	}
	if c, err := newDialer([]string{"HTTPS_PROXY=http://192.0.2.1:1", "NO_PROXY=127.0.0.1"})(context.Background(), at); err != nil {
		t.Errorf("an excepted host: %v", err)
	} else {
		_ = c.Close()
	}
}

// An address may be open at several ports, and is closed at the others.
func TestAllowListHoldsEveryPort(t *testing.T) {
	list, err := parseAllow([]string{"127.0.0.1:8000", "127.0.0.1:9000", "API.example.com:443", "open.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host string
		port uint16
		want bool
	}{
		{"127.0.0.1", 8000, true}, {"127.0.0.1", 9000, true}, {"127.0.0.1", 8001, false},
		{"api.example.com.", 443, true}, {"api.example.com", 80, false}, {"open.example.com", 80, true}, {"example.com", 443, false},
	} {
		if got := list.allows(c.host, c.port); got != c.want {
			t.Errorf("%s:%d: %v, want %v", c.host, c.port, got, c.want)
		}
	}
	if inside := list.inside(); len(inside) != 2 {
		t.Errorf("addresses inside: %v, want two", inside)
	}
}
