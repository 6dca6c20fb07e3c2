package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func load(t *testing.T, data string) *lexicon {
	t.Helper()
	l, err := loadLexicon(fstest.MapFS{"lexicon/a.txt": {Data: []byte(data)}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// classesOf names the classes of a word by itself, or of the phrase it begins.
func (l *lexicon) classesOf(words string) []string {
	fields := strings.Fields(words)
	s := l.lookup([]byte(fields[0]))
	if s == nil {
		return nil
	}
	set := s.classes
	if len(fields) > 1 {
		set = ClassSet{}
		for _, p := range s.phrases {
			if slices.Equal(p.rest, fields[1:]) {
				set = p.classes
			}
		}
	}
	var names []string
	for name, c := range l.classes {
		if set.has(c) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestLexiconErrors(t *testing.T) {
	var many strings.Builder
	for i := range maxClasses + 10 {
		many.WriteString("[c" + strings.Repeat("x", i) + "]\nword\n")
	}
	for _, tt := range []struct{ name, data, want string }{
		{"a term outside a section", "# x\n\nword", "line 3: a term outside a section"},
		{"an open bracket", "[a]\nb\n[c", "line 3: want [class]"},
		{"an unknown kind", "[a adverb]\nb", "line 1: want [class], [class verb] or [class noun]"},
		{"a short stem", "[a]\nword\nab*", `line 3: the stem of "ab*" is shorter than 3 bytes`},
		{"too many classes", many.String(), fmt.Sprintf("more than %d classes", maxClasses)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadLexicon(fstest.MapFS{"lexicon/a.txt": {Data: []byte(tt.data)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "lexicon/a.txt: ") {
				t.Errorf("loadLexicon = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestLexiconForms(t *testing.T) {
	l := load(t, strings.Join([]string{
		"[v verb]", "copy, bake, talk, fetch, comply with, send/sends/sent/sending, hide/hid away",
		"[n noun]", "policy, key, box, api key, credit card number",
		"[w]", "stem*, two words, more than two words, don't, naïve",
	}, "\n"))
	for _, tt := range []struct{ word, want string }{
		{"copy", "v"}, {"copies", "v"}, {"copied", "v"}, {"copying", "v"}, {"baked", "v"}, {"baking", "v"}, {"bakes", "v"},
		{"fetches", "v"}, {"talked", "v"}, {"complied with", "v"}, {"complies with", "v"}, {"sent", "v"}, {"sended", ""}, {"hid away", "v"},
		{"policies", "n"}, {"keys", "n"}, {"boxes", "n"}, {"api key", "n"}, {"api keys", "n"}, {"apis key", ""},
		{"credit card numbers", "n"}, {"credit", ""},
		{"stem", "w"}, {"stemming", "w"}, {"stemsaremany", ""}, {"ste", ""}, {"dont", "w"}, {"naive", "w"}, {"two words", "w"}, {"two", ""},
	} {
		if got := strings.Join(l.classesOf(tt.word), " "); got != tt.want {
			t.Errorf("classes of %q = %q, want %q", tt.word, got, tt.want)
		}
	}
	base := func(w string) bool { return l.lookup([]byte(w)).base.has(l.classes["v"]) }
	if !base("copy") || base("copies") || base("sent") || !base("send") {
		t.Errorf("base forms: copy %v copies %v send %v sent %v, want true false true false", base("copy"), base("copies"), base("send"), base("sent"))
	}
}

func TestLexiconPhrasesLongestFirst(t *testing.T) {
	l := load(t, "[a]\ndo, do it, do it now\n[b]\ndo it")
	s := l.lookup([]byte("do"))
	for i := 1; i < len(s.phrases); i++ {
		if len(s.phrases[i].rest) > len(s.phrases[i-1].rest) {
			t.Errorf("phrase %v stands behind the shorter %v", s.phrases[i].rest, s.phrases[i-1].rest)
		}
	}
	if got := strings.Join(l.classesOf("do it"), " "); got != "a b" {
		t.Errorf("classes of a phrase in two sections = %q, want both", got)
	}
}

func TestLexiconForeign(t *testing.T) {
	l := load(t, "@foreign\n[send]\nschick*, 发送\n[toolnoun]\nwerkzeug")
	if got := strings.Join(l.classesOf("schicken"), " "); got != "send xsend" {
		t.Errorf("classes of a foreign word = %q, want send and xsend", got)
	}
	s := l.lookup([]byte("werkzeug"))
	if !s.base.has(l.classes["toolnoun"]) || !s.base.has(l.classes["xtoolnoun"]) {
		t.Errorf("a foreign word is no base form")
	}
	if g := l.ideo['发']; len(g) != 1 || g[0].term != "发送" || !g[0].classes.has(l.classes["send"]) || !g[0].classes.has(l.classes["xsend"]) {
		t.Errorf("ideograms under 发 = %+v, want 发送 in send and xsend", g)
	}
	if english := load(t, "[send]\nsend"); english.classesOf("send")[0] != "send" || len(english.classesOf("send")) != 1 {
		t.Errorf("classes of an English word = %v", english.classesOf("send"))
	}
}
