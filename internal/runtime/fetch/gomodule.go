package fetch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gauntlet/result"
)

// goSafe are the settings under which the go command runs nothing but itself: no other toolchain is loaded, no
// workspace or settings of the module count, and no C compiler is asked.
func goSafe(modules string) []string {
	return []string{"GOTOOLCHAIN=local", "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=-mod=mod -buildvcs=false", "GOMODCACHE=" + modules}
}

// In its sandbox the go command keeps modules in one folder, and programs that it builds in another.
const (
	sealedModules = workDir + "/gomod"
	builtAt       = workDir + "/built"
)

// runGo runs the go command in its sandbox, in a copy of a directory or an empty one, and takes what it wrote out. Where there is no
// sandbox, what is loaded by its name is loaded without one, from the same proxies.
func (f *Fetcher) runGo(ctx context.Context, dir string, take taken, args ...string) ([]byte, error) {
	sealed, env, err := f.goSeal(ctx)
	if err != nil {
		return nil, err
	}
	out, err := f.run(ctx, client{dir: dir, env: slices.Concat(env, goSafe(sealedModules)), args: args, seal: sealed.taking(take)})
	if errors.Is(err, ErrUnsealed) && dir == "" {
		out, err = f.run(ctx, client{dir: take.to, env: slices.Concat(env, goSafe(take.to)), args: args})
	}
	return out, err
}

// withoutDirect is a GOPROXY without the hosts that modules name themselves.
func withoutDirect(list string) string {
	proxies := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '|' })
	proxies = slices.DeleteFunc(proxies, func(p string) bool { return strings.TrimSpace(p) == "direct" || strings.TrimSpace(p) == "" })
	if len(proxies) == 0 {
		return "https://proxy.golang.org"
	}
	return strings.Join(proxies, ",")
}

// A goDownload is what go mod download says of a module.
type goDownload struct {
	Path, Version, Zip, Sum, Error string
	Origin                         struct{ URL string }
}

// maxGoPaths is how many directories of an import path are tried as that of its module.
const maxGoPaths = 8

// fetchGo gets a module of Go. The name may also be the path of a program in it.
func (f *Fetcher) fetchGo(ctx context.Context, s Spec) (*Fetched, error) {
	dir, err := f.scratch()
	if err != nil {
		return nil, err
	}
	defer removeTree(dir)
	var first error
	module := s.Name
	for range maxGoPaths {
		f.Progress("%s: loading the module", s.Text)
		got, err := f.downloadGo(ctx, dir, module, s.Version)
		if err == nil {
			return f.takeGo(ctx, got, strings.TrimPrefix(strings.TrimPrefix(s.Name, module), "/"))
		}
		first = cmp.Or(first, err)
		if module = path.Dir(module); ctx.Err() != nil || !modulePath.MatchString(module) || errors.Is(err, errMissingClient) {
			break
		}
	}
	return nil, first
}

func (f *Fetcher) downloadGo(ctx context.Context, dir, module, version string) (*goDownload, error) {
	out, err := f.runGo(ctx, "", taken{sealedModules, dir}, "go", "mod", "download", "-json", module+"@"+cmp.Or(version, "latest"))
	var got goDownload
	if len(out) > 0 && json.Unmarshal(out, &got) == nil && got.Error != "" {
		return nil, errors.New(got.Error)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &got); err != nil || got.Zip == "" {
		return nil, errors.New("go loaded no archive")
	}
	if rel, ok := strings.CutPrefix(got.Zip, sealedModules+"/"); ok && filepath.IsLocal(rel) {
		got.Zip = filepath.Join(dir, rel)
	}
	return &got, nil
}

// takeGo unpacks a module. Where program is not empty it is the directory of the program that is meant.
func (f *Fetcher) takeGo(ctx context.Context, got *goDownload, program string) (*Fetched, error) {
	p := &Fetched{Kind: Go, Name: got.Path, Version: got.Version, Label: got.Path + "@" + got.Version, Ecosystem: "Go"}
	p.Facts.Origin = WithoutCredentials(got.Origin.URL)
	if got.Sum != "" {
		p.Facts.Integrity = "checksum database of Go (" + got.Sum + ")"
		if sums := f.variable("GOSUMDB"); sums == "off" || f.variable("GONOSUMDB") != "" || f.variable("GOPRIVATE") != "" || f.variable("GONOSUMCHECK") != "" {
			p.Facts.Integrity = ""
		}
	}
	_, err := f.unpackArchive(ctx, p, got.Zip, unpackOptions{Prefix: got.Path + "@" + got.Version + "/"})
	if err != nil {
		return nil, err
	}
	p.install = func(ctx context.Context) (*Start, error) { return f.installGo(ctx, p, program) }
	return p, nil
}

// installGo loads the modules that a program is built from, and builds it.
func (f *Fetcher) installGo(ctx context.Context, p *Fetched, program string) (*Start, error) {
	mains, err := goPrograms(p.Dir)
	if err != nil {
		return nil, err
	}
	dir, others := program, 0
	if dir == "" {
		if len(mains) == 0 {
			return nil, fmt.Errorf("it %w: the module holds no program (package main)", ErrCannotStart)
		}
		dir, others = chooseGoProgram(mains, path.Base(p.Name)), len(mains)-1
	}
	f.Progress("%s: building it", p.Label)
	built, err := f.temporaryOf(p)
	if err != nil {
		return nil, err
	}
	const list = "{{with .Module}}{{.Path}} {{.Version}} {{with .Replace}}{{.Path}}@{{.Version}}{{end}}{{end}}"
	out, err := f.runGo(ctx, p.Dir, taken{builtAt, built}, "sh", "-c", `go list -deps -f "$1" "$2" && go build -o "$3" "$2"`, "sh", list, "./"+dir, builtAt+"/server")
	if err != nil {
		return nil, err
	}
	p.noteGoModules(out)
	s := &Start{Dir: built, Command: []string{filepath.Join(built, "server")}, Read: []string{built}, Notes: []string{"it was built in the sandbox"}}
	s.noteOthers(dir, others)
	return s, nil
}

func (p *Fetched) noteGoModules(list []byte) {
	seen := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		version, instead, _ := strings.Cut(rest, " ")
		if version == "" || name == p.Name || seen[name] {
			continue
		}
		seen[name] = true
		if instead != "" {
			p.odd(result.OddAddress, name+"@"+version, "its go.mod has "+strconv.Quote(instead)+" in its place")
		}
		p.Packages = append(p.Packages, Dependency{"Go", name, version})
	}
	p.Facts.Installed = len(p.Packages)
}

// The bounds on looking for programs.
const (
	maxGoFiles    = 50_000
	maxGoPrograms = 200
)

// goPrograms lists the directories below dir that hold a program, without examples and tests.
func goPrograms(dir string) (out []string, err error) {
	seen, files := map[string]bool{}, 0
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		rel, _ := filepath.Rel(dir, file)
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains([]string{"testdata", "vendor", "examples", "example", "test", "tests", "node_modules"}, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		at := filepath.ToSlash(filepath.Dir(rel))
		if files++; files > maxGoFiles || len(out) >= maxGoPrograms {
			return filepath.SkipAll
		}
		if seen[at] || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || !d.Type().IsRegular() {
			return nil
		}
		text, err := readSmall(file)
		if err != nil {
			return nil // too large to be a program's first file
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), "", text, parser.PackageClauseOnly|parser.ParseComments)
		if err == nil && parsed.Name.Name == "main" && !bytes.Contains(text, []byte("//go:build ignore")) {
			seen[at] = true
			out = append(out, at)
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// chooseGoProgram chooses the program at the top, or the one that chooseProgram would by its directory.
func chooseGoProgram(dirs []string, module string) string {
	byName := map[string]string{}
	names := make([]string, 0, len(dirs))
	for _, d := range dirs {
		if d == "." {
			return d
		}
		if _, twice := byName[path.Base(d)]; !twice {
			byName[path.Base(d)] = d
			names = append(names, path.Base(d))
		}
	}
	name, _ := chooseProgram(names, module)
	return byName[name]
}
