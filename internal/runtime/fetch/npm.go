package fetch

import (
	"context"
	"crypto/sha1" // what old packages of the registry have, beside nothing else
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

// npmSafe are the settings under which npm runs nothing of a package: no scripts, also of what a
// repository would prepare, and no repositories at all, whose own settings could name a program.
var npmSafe = []string{
	"npm_config_ignore_scripts=true", "npm_config_allow_git=none", "npm_config_git=gauntlet-allows-no-git", "npm_config_audit=false", "npm_config_fund=false",
	"npm_config_update_notifier=false", "npm_config_progress=false", "npm_config_loglevel=error", "npm_config_omit_lockfile_registry_resolved=false", "npm_config_fetch_retry_mintimeout=1000", "npm_config_fetch_retry_maxtimeout=4000",
}

// npmView is what the registry says of one version.
type npmView struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Deprecated  json.RawMessage   `json:"deprecated"`
	Maintainers []json.RawMessage `json:"maintainers"`
	Time        map[string]string `json:"time"`
	Dist        struct {
		Integrity    string `json:"integrity"`
		Shasum       string `json:"shasum"`
		Tarball      string `json:"tarball"`
		Attestations struct {
			Provenance struct {
				PredicateType string `json:"predicateType"`
			} `json:"provenance"`
		} `json:"attestations"`
	} `json:"dist"`
	manifest *nodeManifest // the same as a package.json
}

// runNPM runs npm in its sandbox. Where there is none and the command only loads what is named, it runs in a directory without
// one; "" for a command that does more.
func (f *Fetcher) runNPM(ctx context.Context, s *seal, dir string, args ...string) ([]byte, error) {
	args = append([]string{"npm"}, args...)
	out, err := f.run(ctx, client{env: f.npmSealed(), args: args, seal: s})
	if errors.Is(err, ErrUnsealed) && dir != "" {
		out, err = f.run(ctx, client{dir: dir, grows: dir, env: npmSafe, args: args})
	}
	return out, err
}

// fetchNPM gets a package of npm. The settings of a project in our working directory do not count: npm runs in an
// empty one.
func (f *Fetcher) fetchNPM(ctx context.Context, s Spec) (*Fetched, error) {
	dir, err := f.scratch()
	if err != nil {
		return nil, err
	}
	defer removeTree(dir)
	sealed, registries, err := f.npmSeal(ctx)
	if err != nil {
		return nil, err
	}
	spec := s.Name
	if s.Version != "" {
		spec += "@" + s.Version
	}
	f.Progress("%s: loading the package", s.Text)
	packed := filepath.Join(dir, "packed") // npm packs into its working directory
	if err := os.Mkdir(packed, 0o700); err != nil {
		return nil, err
	}
	said, failure := f.runNPM(ctx, sealed.taking(taken{workDir, packed}), packed, "pack", spec, "--json")
	if label := packedLabel(said); failure == nil && label != "" { // of a range, what an installation would choose
		spec = label
	}
	var failed *clientError
	refused := errors.As(failure, &failed) && (strings.Contains(failed.stderr, "EINTEGRITY") || strings.Contains(failed.stderr, "TAR_ABORT"))
	if failure != nil && !refused {
		return nil, failure
	}
	f.Progress("%s: asking the npm registry", s.Text)
	out, err := f.runNPM(ctx, sealed, dir, "view", spec, "--json")
	if err != nil {
		return nil, err
	}
	view, err := readNPMView(out)
	if err != nil {
		return nil, fmt.Errorf("what npm says of %s: %w", spec, err)
	}
	p := &Fetched{Kind: NPM, Name: view.Name, Version: view.Version, Label: view.Name + "@" + view.Version, Ecosystem: "npm"}
	view.note(p, f.Now())
	if refused {
		if strings.Contains(failed.stderr, "EINTEGRITY") {
			p.Facts.Mismatch = "the archive is not the one that the registry gives the hash of: npm refused it"
		} else {
			p.Facts.Faults = []result.ArchiveFault{{Kind: result.FaultBomb, Detail: failed.Error()}}
		}
		return p, nil
	}
	archive, err := onlyFile(packed, ".tgz")
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(archive); err != nil {
		return nil, err
	} else if info.Size() > maxArchive {
		return nil, fmt.Errorf("the archive has more than %d bytes", int64(maxArchive))
	}
	if err := p.compareNPM(archive, &view); err != nil {
		return nil, err
	}
	if _, err := f.unpackArchive(ctx, p, archive, unpackOptions{Strip: 1}); err != nil {
		return nil, err
	}
	if err := noteNode(p); err != nil {
		return nil, err
	}
	if own, err := readNodeManifest(p.Dir); err == nil {
		p.compareManifests(view.manifest, own)
	}
	p.noteShrinkwrap(registries)
	asked := allDependencies(view.manifest)
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		p.noteSpec(name, asked[name], p.Label)
	}
	p.Facts.Direct = len(asked)
	p.install = func(ctx context.Context) (*Start, error) { return f.installNPM(ctx, p, sealed, registries) }
	return p, nil
}

// packedLabel is name and version of what npm pack says it packed; "" where it says none.
func packedLabel(said []byte) string {
	var list []struct{ Name, Version string }
	if json.Unmarshal(said, &list) != nil || len(list) != 1 || !npmName.MatchString(list[0].Name) || !version.MatchString(list[0].Version) {
		return ""
	}
	return list[0].Name + "@" + list[0].Version
}

// readNPMView reads the answer of npm view: one version, or several that a range covers, of which the last counts.
func readNPMView(text []byte) (v npmView, err error) {
	text = []byte(strings.TrimSpace(string(text)))
	if len(text) > 0 && text[0] == '[' {
		var all []json.RawMessage
		if err := json.Unmarshal(text, &all); err != nil {
			return v, err
		}
		if len(all) == 0 {
			return v, errors.New("no version")
		}
		text = all[len(all)-1]
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return v, err
	}
	if !npmName.MatchString(v.Name) || !version.MatchString(v.Version) {
		return v, errors.New("it has no name or version")
	}
	v.manifest, err = parseNodeManifest(text)
	return v, err
}

// maxMaintainers bounds the names that a report lists.
const maxMaintainers = 50

func (v *npmView) note(p *Fetched, now time.Time) {
	p.Facts.Origin = WithoutCredentials(v.Dist.Tarball)
	p.Facts.Published = v.Time[v.Version]
	p.Facts.AgeDays = ageDays(p.Facts.Published, now)
	for _, m := range v.Maintainers[:min(len(v.Maintainers), maxMaintainers)] {
		p.Facts.Maintainers = append(p.Facts.Maintainers, personName(m))
	}
	var why string
	if json.Unmarshal(v.Deprecated, &why) == nil {
		p.Facts.Deprecated = why
	} else if string(v.Deprecated) == "true" {
		p.Facts.Deprecated = "without a reason"
	}
	if t := v.Dist.Attestations.Provenance.PredicateType; t != "" {
		p.Facts.Provenance = t
	}
}

// personName is the name of a person of npm, written as a string or an object, without an address.
func personName(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		name, _, _ := strings.Cut(text, "<")
		return strings.TrimSpace(name)
	}
	var person struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(raw, &person) // whoever has no name has none
	return person.Name
}

// ageDays are the whole days since a time in RFC 3339, 0 where there is none.
func ageDays(published string, now time.Time) int {
	t, err := time.Parse(time.RFC3339, published)
	if err != nil || t.After(now) {
		return 0
	}
	return int(now.Sub(t).Hours() / 24)
}

// maxArchive bounds the bytes of an archive of npm.
const maxArchive = 1 << 30

// compareNPM compares an archive with what the registry says of it.
func (p *Fetched) compareNPM(archive string, v *npmView) error {
	for hash := range strings.FieldsSeq(v.Dist.Integrity) {
		want, ok := strings.CutPrefix(hash, "sha512-")
		if !ok {
			continue
		}
		sum, err := sumFile(archive, sha512.New())
		if err != nil {
			return err
		}
		p.Facts.Integrity = "sha512 of the registry"
		if got := base64.StdEncoding.EncodeToString(sum); got != want {
			p.Facts.Mismatch = "the archive is not the one that the registry gives the hash of (sha512)"
		}
		return nil
	}
	if v.Dist.Shasum == "" {
		p.odd(result.OddUnverified, p.Label, "the registry gives no hash of it")
	} else {
		sum, err := sumFile(archive, sha1.New())
		if err != nil {
			return err
		}
		p.Facts.Integrity = "sha1 of the registry, which no longer proves anything against an attacker"
		if hex.EncodeToString(sum) != strings.ToLower(v.Dist.Shasum) {
			p.Facts.Mismatch = "the archive is not the one that the registry gives the hash of (sha1)"
		}
	}
	return nil
}

// installNPM installs the package by its name and version, as a user would, without running a script, and says how it is
// started.
func (f *Fetcher) installNPM(ctx context.Context, p *Fetched, sealed *seal, registries []string) (*Start, error) {
	f.Progress("%s: installing it with what it depends on", p.Label)
	tree, err := f.temporaryOf(p)
	if err != nil {
		return nil, err
	}
	s := sealed.taking(taken{workDir, tree})
	s.files = append(s.files[:len(s.files):len(s.files)], sandbox.File{Path: workDir + "/package.json", Data: []byte(`{"name":"vetting","version":"1.0.0","private":true}`)})
	_, err = f.runNPM(ctx, s, "", "install", "--ignore-scripts", "--omit=dev", p.Label)
	if err := p.led(s, err); err != nil {
		return nil, err
	}
	if err := p.noteNodeTree(tree, registries); err != nil {
		return nil, err
	}
	f.noteFree(ctx, p, sealed)
	return npmStart(filepath.Join(tree, "node_modules", filepath.FromSlash(p.Name)), tree)
}

// noteFree notes what was left out since the registry does not have it: anybody may publish it.
func (f *Fetcher) noteFree(ctx context.Context, p *Fetched, sealed *seal) {
	for _, label := range p.unchosen[:min(len(p.unchosen), mostShown)] {
		if strings.Contains(label, ":") {
			continue // an address, which was noted
		}
		_, err := f.runNPM(ctx, sealed, "", "view", label, "--json")
		if failed := (*clientError)(nil); errors.As(err, &failed) && strings.Contains(failed.stderr, "E404") {
			p.odd(result.OddFree, label, "it depends on this, which the registry does not have: whoever publishes it has their code installed")
		}
	}
}

// led notes where else than to its registries a client was led.
func (p *Fetched) led(s *seal, err error) error {
	for _, host := range s.led {
		p.odd(result.OddAddress, p.Label, "what it depends on led the client to "+host+", which is not the registry; in the sandbox nothing is there")
	}
	return err
}

// npmStart says how an installed package is started.
func npmStart(dir, tree string) (*Start, error) {
	manifest, err := readNodeManifest(dir)
	if err != nil {
		return nil, err
	}
	program, others := manifest.program()
	if program == "" {
		return nil, fmt.Errorf("it %w: package.json names no program (bin)", ErrCannotStart)
	}
	s := &Start{Dir: tree}
	s.noteOthers(program, others)
	link := filepath.Join(tree, "node_modules", ".bin", program)
	if _, err := os.Stat(link); err != nil {
		return nil, fmt.Errorf("it %w: the file of its program %s is not in the package", ErrCannotStart, program)
	}
	s.Command = []string{link}
	return s, nil
}

func onlyFile(dir, ending string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ending) {
			return filepath.Join(dir, e.Name()), nil
		}
	}
	return "", errors.New("the client loaded no archive")
}
