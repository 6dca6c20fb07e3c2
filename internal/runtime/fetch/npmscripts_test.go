package fetch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/result"
)

// What an installation of a folder runs is listed, whoever put it there and whatever a lockfile says of it.
func TestScriptsOfAFolder(t *testing.T) {
	const evil = `{"name":"evil","version":"2","scripts":{"postinstall":"x","prepare":"y"}}`
	for _, tt := range []struct {
		name  string
		kind  Kind
		files map[string]string
		want  string
	}{
		{"a folder is prepared", Directory, map[string]string{"package.json": `{"name":"a","version":"1","scripts":{"prepare":"x","test":"y"}}`}, "own prepare x"},
		{"a repository is prepared", Git, map[string]string{"package.json": `{"name":"a","version":"1","scripts":{"postprepare":"x","prepublishOnly":"y"}}`}, "own postprepare x"},
		{"a package of the registry was prepared by its author", NPM, map[string]string{"package.json": `{"name":"a","version":"1","scripts":{"prepare":"x"}}`}, ""},
		{"a script that runs others", Directory, map[string]string{"package.json": `{"name":"a","version":"1","scripts":{"prepare":"npm run -s build && yarn more","build":"tsc","prebuild":"curl x | sh","more":"npm run build; npm run prepare"}}`}, "own prepare npm run -s build && yarn more; prebuild: curl x | sh; build: tsc; more: npm run build; npm run prepare"},
		{"a script whose words are none of others", Directory, map[string]string{"package.json": `{"name":"a","version":"1","scripts":{"prepare":"npm install","install-it":"y"}}`}, "own prepare npm install"},
		{"a native build", Directory, map[string]string{"package.json": `{"name":"a"}`, "binding.gyp": "{}"}, "own install node-gyp rebuild"},
		{"what it brings along", Directory, map[string]string{"package.json": `{"name":"a"}`, "node_modules/evil/package.json": evil}, "postinstall x"},
		{"of its own name", Directory, map[string]string{"package.json": `{"name":"evil"}`, "node_modules/evil/package.json": evil}, "postinstall x"},
		{"in a scope and below another", Directory, map[string]string{"package.json": `{"name":"a"}`, "node_modules/@s/b/package.json": `{"name":"@s/b"}`, "node_modules/@s/b/node_modules/evil/package.json": evil}, "postinstall x"},
		{"as pnpm lays it out", Directory, map[string]string{"package.json": `{"name":"a"}`, "node_modules/.pnpm/evil@2/node_modules/evil/package.json": evil}, "postinstall x"},
		{"a lockfile that does not list it", Directory, map[string]string{"package.json": `{"name":"a"}`, "package-lock.json": `{"packages":{}}`, "node_modules/evil/package.json": evil}, "postinstall x"},
		{"a lockfile that denies it", Directory, map[string]string{"package.json": `{"name":"a"}`, "package-lock.json": `{"packages":{"node_modules/evil":{"version":"2","hasInstallScript":false}}}`, "node_modules/evil/package.json": evil}, "postinstall x"},
		{"a lockfile that cannot be read", Directory, map[string]string{"package.json": `{"name":"a"}`, "package-lock.json": `{`, "node_modules/evil/package.json": evil}, "postinstall x"},
		{"what is needed to build it, as the lockfile says", Directory, map[string]string{"package.json": `{"name":"a"}`, "package-lock.json": `{"packages":{"node_modules/evil":{"version":"2","dev":true,"hasInstallScript":true}}}`}, "install "},
		{"files of a dependency that stand for nothing", Directory, map[string]string{"package.json": `{"name":"a"}`, "node_modules/b/package.json": `{"name":"b"}`, "node_modules/b/test/evil/package.json": evil}, ""},
		{"a workspace", Directory, map[string]string{"package.json": `{"name":"a","workspaces":["packages/*"]}`, "packages/evil/package.json": evil, "examples/evil/package.json": evil}, "own postinstall x|own prepare y"},
		{"a workspace at any depth, in the other form", Directory, map[string]string{"package.json": `{"name":"a","workspaces":{"packages":["./libs/**"]}}`, "libs/deep/evil/package.json": evil}, "own postinstall x|own prepare y"},
		{"what a workspace brings along", Directory, map[string]string{"package.json": `{"name":"a","workspaces":["b"]}`, "b/package.json": `{"name":"b"}`, "b/node_modules/evil/package.json": evil}, "postinstall x"},
		{"a dependency by path", Directory, map[string]string{"package.json": `{"name":"a","devDependencies":{"evil":"file:./tools/evil"}}`, "tools/evil/package.json": evil}, "own postinstall x|own prepare y"},
		{"a folder that nothing links", Directory, map[string]string{"package.json": `{"name":"a"}`, "packages/evil/package.json": evil}, ""},
		{"setup.py", Directory, map[string]string{"setup.py": ""}, "own build setup.py"},
		{"a backend of its own", Directory, map[string]string{"pyproject.toml": "[project]\nname='a'\n[build-system]\nbackend-path=['_b']\n"}, "own build a build backend in _b"},
		{"a hook of hatch", Directory, map[string]string{"pyproject.toml": "[project]\nname='a'\n[tool.hatch.build.targets.wheel.hooks.custom]\n"}, "own build a build hook of hatch"},
		{"a script of poetry", Directory, map[string]string{"pyproject.toml": "[tool.poetry]\nname='a'\nbuild='b.py'\n"}, "own build a build script of poetry"},
		{"a backend that runs nothing of the project", Directory, map[string]string{"pyproject.toml": "[project]\nname='a'\n[build-system]\nrequires=['hatchling']\nbuild-backend='hatchling.build'\n[tool.hatch.build]\ninclude=['x']\n"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Fetched{Kind: tt.kind, Dir: t.TempDir(), Label: "a"}
			for name, text := range tt.files {
				writeFile(t, filepath.Join(p.Dir, name), text)
			}
			if err := (&Fetcher{}).recognise(p); err != nil {
				t.Fatal(err)
			}
			if err := p.noteNodeTree(p.Dir, nil); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range p.Facts.Scripts {
				text := s.Event + " " + s.Command
				if s.Own {
					text = "own " + text
				}
				got = append(got, text)
			}
			if text := strings.Join(got, "|"); text != tt.want {
				t.Errorf("%q, want %q", text, tt.want)
			}
		})
	}
}

// A link to what lies elsewhere is not followed, and said; one that stays within is read where it leads.
func TestLinksInModules(t *testing.T) {
	p := &Fetched{Kind: Directory, Dir: t.TempDir(), Label: "a"}
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "package.json"), `{"name":"o","scripts":{"install":"of another"}}`)
	writeFile(t, filepath.Join(p.Dir, "here/package.json"), `{"name":"h","scripts":{"install":"here"}}`)
	writeFile(t, filepath.Join(p.Dir, "node_modules/.pnpm/r@1/node_modules/r/package.json"), `{"name":"r","scripts":{"install":"once"}}`)
	for name, to := range map[string]string{"out": outside, "in": "../here", "r": ".pnpm/r@1/node_modules/r", "gone": "../nowhere"} {
		if err := os.Symlink(to, filepath.Join(p.Dir, "node_modules", name)); err != nil {
			t.Skip(err)
		}
	}
	if err := p.noteNodeTree(p.Dir, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Facts.Scripts {
		got = append(got, s.Command)
	}
	odd := slices.IndexFunc(p.Facts.Odd, func(o result.OddDependency) bool { return o.Package == "out" && o.Kind == result.OddUnverified })
	if slices.Sort(got); !slices.Equal(got, []string{"here", "once"}) || odd < 0 {
		t.Errorf("scripts %q, odd %+v", got, p.Facts.Odd)
	}
}

func TestScriptsOfDependenciesAreBounded(t *testing.T) {
	p := &Fetched{Label: "a"}
	for range maxScripts + 5 {
		p.addScripts(result.InstallScript{})
	}
	p.addScripts(result.InstallScript{Own: true})
	if n := len(p.Facts.Scripts); n != maxScripts+1 || !p.Facts.Scripts[n-1].Own || len(p.Facts.Odd) != 1 {
		t.Errorf("%d scripts, the last own %v, odd %+v", n, p.Facts.Scripts[n-1].Own, p.Facts.Odd)
	}
}
