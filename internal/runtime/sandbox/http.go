package sandbox

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxSearched is how much of a request's body is searched for canaries, in bytes.
const maxSearched = 1 << 20

// serveHTTP answers the requests of one connection.
func (k *sinkhole) serveHTTP(c net.Conn, s stream) {
	l := &oneConnection{conn: c, done: make(chan struct{})}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { k.answerRequest(w, r, s) }), MaxHeaderBytes: 64 << 10,
		ReadHeaderTimeout: idleTimeout, ReadTimeout: connectionTime, WriteTimeout: connectionTime, IdleTimeout: idleTimeout,
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed || state == http.StateHijacked {
				l.end()
			}
		},
	}
	// Package log is not for libraries, and without a log of its own a server writes to stderr.
	server.ErrorLog = newLike(server.ErrorLog)
	server.ErrorLog.SetOutput(io.Discard)
	_ = server.Serve(l) // ends with the connection
	_ = server.Shutdown(context.Background())
}

// newLike returns a new value of the type that a pointer has.
func newLike[T any](*T) *T { return new(T) }

// oneConnection is a listener that gives out one connection and ends with it.
type oneConnection struct {
	conn net.Conn
	once sync.Once
	done chan struct{}
	gave bool
}

func (l *oneConnection) Accept() (net.Conn, error) {
	if !l.gave {
		l.gave = true
		return l.conn, nil
	}
	<-l.done
	return nil, net.ErrClosed
}

func (l *oneConnection) end()           { l.once.Do(func() { close(l.done) }) }
func (l *oneConnection) Close() error   { return nil }
func (l *oneConnection) Addr() net.Addr { return l.conn.LocalAddr() }

// answerRequest records a request and answers it as the address would.
func (k *sinkhole) answerRequest(w http.ResponseWriter, r *http.Request, s stream) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxSearched)) // what came before an error counts
	host := s.host
	if name, _, err := net.SplitHostPort(r.Host); err == nil && net.ParseIP(host) != nil && name != "" {
		host = cleanName(name)
	} else if r.Host != "" && net.ParseIP(host) != nil {
		host = cleanName(r.Host)
	}
	scheme := "http"
	if s.network == "tls" {
		scheme = "https"
	}
	text := requestText(r, body)
	found := k.finder.find(text)
	if plain := decompressed(r, body); plain != nil {
		for _, c := range k.finder.find(string(plain)) {
			if !slices.Contains(found, c) {
				found = append(found, c)
			}
		}
	}
	k.record(Event{Kind: Request, Host: host, Addr: s.addr.String(), Network: s.network, Method: r.Method, URL: cutText(scheme+"://"+r.Host+r.RequestURI, 8<<10), Text: cutText(text, MaxText), Canaries: found})
	k.answer(w, r, s)
}

func cutText(s string, n int) string { return s[:min(len(s), n)] }

// requestText is a request as text: its line, its header in alphabetical order, its body.
func requestText(r *http.Request, body []byte) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\n", r.Method, r.RequestURI, r.Proto, r.Host)
	_ = r.Header.Write(&b) // a buffer takes everything
	b.WriteString("\r\n")
	b.Write(body)
	return b.String()
}

// decompressed returns a body that was compressed, nil for one that was not.
func decompressed(r *http.Request, body []byte) []byte {
	if !strings.Contains(strings.ToLower(r.Header.Get("Content-Encoding")), "gzip") && !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxSearched))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return plain
}

// answer answers for a service of the sandbox, the metadata service, or anybody else.
func (k *sinkhole) answer(w http.ResponseWriter, r *http.Request, s stream) {
	if service := k.serviceAt(s.addr); service != nil {
		service.answer(w, r)
		return
	}
	if isMetadata(s.addr.Addr()) {
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
