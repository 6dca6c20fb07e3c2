package sandbox

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// maxSearched is how much of a request's body is kept to be searched with its head, and decompressed, in bytes.
const maxSearched = 64 << 10

// maxHead bounds the line and header of a request.
const maxHead = 64 << 10

// serveHTTP answers the requests of one connection, until something comes that is none.
func (k *sinkhole) serveHTTP(s *stream) {
	for {
		_ = s.SetReadDeadline(time.Now().Add(idleTimeout))
		if _, err := s.in.Peek(1); err != nil {
			return
		}
		s.left = maxHead
		r, err := http.ReadRequest(s.in)
		s.left = maxStream
		if err != nil {
			_, _ = io.WriteString(s, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			return
		}
		if r.Header.Get("Expect") != "" {
			_, _ = io.WriteString(s, "HTTP/1.1 100 Continue\r\n\r\n")
		}
		if !k.answerRequest(s, r) {
			return
		}
		if r.Method == http.MethodConnect && s.depth < maxTunnels { // what follows is for somebody else
			host := s.host
			s.depth++
			s.host = cleanName(r.URL.Hostname())
			k.speak(s)
			s.host = host
			return
		}
	}
}

// answerRequest records a request and answers it as the address would. It reports whether another one may follow.
func (k *sinkhole) answerRequest(s *stream, r *http.Request) (more bool) {
	e, err := k.readRequest(s.event(Request), r, patient{r.Body, s}, s.turn)
	s.say(e)
	if err == nil {
		s.understood()
	}
	if wantsWebSocket(r) {
		k.serveWebSocket(s, r)
		return false
	}
	w := &httpAnswer{header: http.Header{}}
	k.answer(w, r, s.addr)
	return w.write(s, r) == nil && err == nil && !r.Close && r.ProtoAtLeast(1, 1)
}

// readRequest reads the body of a request, and returns the event with what is to be said of it.
func (k *sinkhole) readRequest(e Event, r *http.Request, sent io.Reader, turn int64) (Event, error) {
	body, err := io.ReadAll(io.LimitReader(sent, maxSearched))
	var rest bodySearch
	if len(body) == maxSearched {
		rest = bodySearch{outlet: k.outlet, host: e.Host}
		_, err = io.Copy(&rest, sent)
		if isCompressed(r, body) {
			k.limit(fmt.Sprintf("a compressed body was read up to its first %d bytes", maxSearched))
		}
	}
	if name, _, err := net.SplitHostPort(r.Host); err == nil && net.ParseIP(e.Host) != nil && name != "" {
		e.Host = cleanName(name)
	} else if r.Host != "" && net.ParseIP(e.Host) != nil {
		e.Host = cleanName(r.Host)
	}
	scheme := "http"
	if e.Network == "tls" {
		scheme = "https"
	}
	text := requestText(r, body)
	e.Method, e.URL, e.Text = r.Method, cutText(scheme+"://"+r.Host+r.RequestURI, 8<<10), cutText(text, MaxText)
	e.Canaries = union(k.search(e.Host, text, turn), rest.found)
	e.Canaries = union(e.Canaries, k.searchPart(e.Host, inflated(body)))
	return e, err
}

// inflated is what bytes are that were compressed without a beginning by which that could be recognised; what came before an error
// counts.
func inflated(b []byte) string {
	plain, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxSearched))
	return string(plain)
}

// A patient reader waits anew for each part of what it reads: searching the parts before takes longer than a client is silent.
type patient struct {
	io.Reader
	from *stream
}

func (p patient) Read(b []byte) (int, error) {
	_ = p.from.SetReadDeadline(time.Now().Add(idleTimeout))
	return p.Reader.Read(b)
}

// An httpAnswer keeps what a handler says until it is sent.
type httpAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *httpAnswer) Header() http.Header         { return w.header }
func (w *httpAnswer) WriteHeader(status int)      { w.status = status }
func (w *httpAnswer) Write(b []byte) (int, error) { return w.body.Write(b) }

func (w *httpAnswer) write(to io.Writer, r *http.Request) error {
	a := &http.Response{
		StatusCode: cmp.Or(w.status, http.StatusOK), ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Request: r, Close: r.Close,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()),
	}
	if r.Method == http.MethodConnect {
		a.Body, a.ContentLength = http.NoBody, -1
		a.Header.Del("Content-Type")
		_, err := io.WriteString(to, "HTTP/1.1 200 Connection established\r\n\r\n")
		return err
	}
	return a.Write(to)
}

// A bodySearch searches a body without what its transfer puts between its parts.
type bodySearch struct {
	*outlet
	host  string
	last  []byte
	found []string
}

func (b *bodySearch) Write(part []byte) (int, error) {
	b.found = union(b.found, b.searchPart(b.host, string(b.last)+string(part)))
	b.last = bytes.Clone(part[max(0, len(part)-searchOverlap):])
	return len(part), nil
}

func cutText(s string, n int) string { return s[:min(len(s), n)] }

// requestText is a request as text: its line, its header in alphabetical order, its body and trailer.
func requestText(r *http.Request, body []byte) string {
	var b strings.Builder
	b.Grow(len(body) + 1<<10)
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\n", r.Method, r.RequestURI, r.Proto, r.Host)
	_ = r.Header.Write(&b) // a buffer takes everything
	b.WriteString("\r\n")
	b.Write(body)
	if len(r.Trailer) > 0 {
		b.WriteString("\r\n")
		_ = r.Trailer.Write(&b)
	}
	return b.String()
}

func isCompressed(r *http.Request, body []byte) bool {
	return r.Header.Get("Content-Encoding") != "" || bytes.HasPrefix(body, []byte{0x1f, 0x8b})
}

// answer answers for a service of the sandbox, the metadata service, or anybody else.
func (k *sinkhole) answer(w http.ResponseWriter, r *http.Request, at netip.AddrPort) {
	if service := k.serviceAt(at); service != nil {
		service.answer(w, r)
		return
	}
	if isMetadata(at.Addr()) {
		k.answerMetadata(w, r)
		return
	}
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>OK</title><p>OK</p>\n")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, "{}\n")
}

func (k *sinkhole) serviceAt(at netip.AddrPort) *Service {
	for i := range k.services {
		if k.services[i].Addr == at {
			return &k.services[i]
		}
	}
	return nil
}

func (s *Service) answer(w http.ResponseWriter, r *http.Request) {
	if s.Redirect != "" {
		w.Header().Set("Location", s.Redirect+r.URL.RequestURI())
		w.WriteHeader(http.StatusFound)
		return
	}
	for name, value := range s.Header {
		w.Header().Set(name, value)
	}
	if s.Type != "" {
		w.Header().Set("Content-Type", s.Type)
	} else if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	if s.Status != 0 {
		w.WriteHeader(s.Status)
	}
	_, _ = io.WriteString(w, s.Body)
}

// metadataAddresses are those at which clouds hand out credentials: AWS, GCP and Azure; ECS;
// AWS over IPv6; Alibaba; Oracle.
var metadataAddresses = []netip.Addr{
	metadataAddress, netip.MustParseAddr("169.254.170.2"), netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"),
}

func isMetadata(a netip.Addr) bool { return slices.Contains(metadataAddresses, a.Unmap()) }

// answerMetadata answers as the metadata services do, without asking for their headers: whether a
// request would have got past those of GCP and Azure shows in its event.
func (k *sinkhole) answerMetadata(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	credential := func(name string) string {
		for i := range k.canaries {
			if k.canaries[i].Name == name {
				return k.canaries[i].Value
			}
		}
		return ""
	}
	send := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // the peer may have gone
	}
	aws := func(secret string) map[string]string {
		return map[string]string{"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "ASIAQ3EGSPV7XH4RTN2M", "SecretAccessKey": secret, "Token": "IQoJb3JpZ2luX2VjEA", "Expiration": time.Now().Add(6 * time.Hour).UTC().Format(time.RFC3339)}
	}
	switch {
	case path == "/latest/api/token":
		_, _ = io.WriteString(w, "AQAEAKm2c0l0Z3d5cXBvdG9rZW4=")
	case strings.HasPrefix(path, "/v2/credentials"), strings.HasPrefix(path, "/v3/credentials"):
		send(aws(credential("ecs_aws_secret_key")))
	case strings.HasPrefix(path, "/computeMetadata/v1/instance/service-accounts/default/token"):
		send(map[string]any{"access_token": credential("gcp_access_token"), "expires_in": 3599, "token_type": "Bearer"})
	case strings.HasPrefix(path, "/metadata/identity/oauth2/token"):
		send(map[string]string{"access_token": credential("azure_access_token"), "expires_in": "3599", "resource": "https://management.azure.com/", "token_type": "Bearer"})
	case strings.TrimSuffix(path, "/") == "/latest/meta-data/iam/security-credentials":
		_, _ = io.WriteString(w, "web-role")
	case strings.HasPrefix(path, "/latest/meta-data/iam/security-credentials/"):
		send(aws(credential("imds_aws_secret_key")))
	case strings.HasPrefix(path, "/latest/user-data"):
		_, _ = io.WriteString(w, "#!/bin/sh\nexport DB_PASSWORD="+credential("imds_aws_secret_key")+"\n")
	case strings.HasPrefix(path, "/metadata/instance"):
		send(map[string]any{"compute": map[string]string{"name": "web-1", "location": "westeurope", "vmId": "13f56399-bd52-4150-9748-7190aae1ff21"}})
	case strings.HasPrefix(path, "/computeMetadata"):
		w.Header().Set("Metadata-Flavor", "Google")
		_, _ = io.WriteString(w, "attributes/\ndisks/\nhostname\nid\nservice-accounts/\nzone\n")
	default:
		_, _ = io.WriteString(w, "ami-id\nhostname\niam/\ninstance-id\nlocal-ipv4\n")
	}
}
