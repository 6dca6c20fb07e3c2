package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// fetchImage gets an image with a container engine and unpacks its file system. Nothing of it is started: its
// programs would need its own file system as their root, which the sandbox does not give them.
func (f *Fetcher) fetchImage(ctx context.Context, s Spec) (*Fetched, error) {
	if f.Public && !publicImage(s.Name) {
		return nil, errNotPublic
	}
	engine := ""
	var missing error
	for _, name := range []string{"docker", "podman"} {
		if _, err := f.run(ctx, client{args: []string{name, "version", "--format", "{{.Server.Version}}"}}); err == nil {
			engine = name
			break
		} else if missing == nil || !errors.Is(err, errMissingClient) {
			missing = err
		}
	}
	if engine == "" {
		return nil, fmt.Errorf("an image needs a container engine, docker or podman, and none works here: %w", missing)
	}
	f.Progress("%s: loading the image", s.Text)
	if _, err := f.run(ctx, client{args: []string{engine, "pull", "--quiet", s.Name}}); err != nil {
		return nil, err
	}
	out, err := f.run(ctx, client{args: []string{engine, "image", "inspect", s.Name}})
	if err != nil {
		return nil, err
	}
	var images []struct {
		ID          string   `json:"Id"`
		Created     string   `json:"Created"`
		RepoDigests []string `json:"RepoDigests"`
	}
	if err := json.Unmarshal(out, &images); err != nil || len(images) == 0 {
		return nil, errors.New("the engine says nothing of the image")
	}
	p := &Fetched{Kind: OCI, Name: s.Name, Version: images[0].ID, Label: s.Name}
	if err := f.unpackImage(ctx, p, engine); err != nil {
		return nil, err
	}
	p.Facts.Published = images[0].Created
	p.Facts.AgeDays = ageDays(images[0].Created, f.Now())
	if len(images[0].RepoDigests) > 0 {
		p.Facts.Origin, p.Facts.Integrity = images[0].RepoDigests[0], "digest of the image, by the engine"
	}
	p.install = func(context.Context) (*Start, error) {
		return nil, fmt.Errorf("it %w: the sandbox starts programs of this machine's file system, and not of an image's", ErrCannotStart)
	}
	return p, nil
}

// publicImage reports whether an image is not named as one of a registry with a port or an IP address, or of a name that
// means this machine or network. The part before the first slash is a registry if it holds a dot or colon, or is localhost.
func publicImage(name string) bool {
	host, _, ok := strings.Cut(name, "/")
	if !ok || host != "localhost" && !strings.ContainsAny(host, ".:") {
		return true
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	numeric := last == "" || last[0] >= '0' && last[0] <= '9' // of an address, also of a short or hexadecimal one
	return !numeric && !strings.Contains(host, ":") && !slices.Contains([]string{"localhost", "local", "internal", "lan", "arpa"}, strings.ToLower(last))
}

// unpackImage exports the file system of a container that was created and never started.
func (f *Fetcher) unpackImage(ctx context.Context, p *Fetched, engine string) error {
	dir, err := f.scratch()
	if err != nil {
		return err
	}
	defer removeTree(dir)
	out, err := f.run(ctx, client{args: []string{engine, "create", "--network=none", p.Name, "true"}})
	if err != nil {
		return err
	}
	id := string(out[:min(len(out), 64)])
	defer func() { // also where ctx has ended: nothing is left behind
		_, _ = f.run(context.WithoutCancel(ctx), client{args: []string{engine, "rm", "--force", id}})
	}()
	archive := filepath.Join(dir, "image.tar")
	if _, err := f.run(ctx, client{dir: dir, grows: dir, args: []string{engine, "export", "--output", archive, id}}); err != nil {
		return err
	}
	_, err = f.unpackArchive(ctx, p, archive, unpackOptions{})
	// The links of a file system lead to its own root.
	kept := p.Facts.Faults[:0]
	for _, fault := range p.Facts.Faults {
		if fault.Kind != "link" && fault.Kind != "special" {
			kept = append(kept, fault)
		}
	}
	p.Facts.Faults = kept
	return err
}
