package taint

import (
	"bytes"
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// A tool that lets its caller send whole statements may promise that they only read. Where the code keeps that promise by comparing
// words, a function with side effects, a second statement, a comment in front or a verb that nobody thought of passes.

// readingVerbs and writingVerbs are the words that statements are told apart by.
var (
	readingVerbs = lazyregexp.New(`(?i)\b(select|show|describe|explain|with|match|pragma)\b`)
	writingVerbs = lazyregexp.New(`(?i)\b(insert|update|delete|drop|alter|create|truncate|grant|merge|detach|set|call)\b`)
)

const maxWords = 100

// noteWords notes that a value, or a part of it, has passed a comparison with the verbs of statements: it begins with one that
// reads, or holds none that writes.
func (r *reader) noteWords(v *value, with *ir.Expr, holds bool, st *state) {
	if with != nil && !v.isClean() && r.spend() {
		noteWordsOf(v, r.wordsOf(with), holds, st)
	}
}

func noteWordsOf(v *value, words string, holds bool, st *state) {
	if strings.Contains(words, ";") && !holds {
		st.learn(v, oneStatement)
	}
	if holds && readingVerbs.MatchString(words) && !strings.EqualFold(words, "set") || !holds && writingVerbs.MatchString(words) {
		st.learn(v, wordsAsked)
	}
}

// wordsOf returns the constants in an expression: a word, the words of a list, those that a variable goes through.
func (r *reader) wordsOf(e *ir.Expr) string {
	out := r.a.g.Texts(e, r.ctx)
	r.a.g.Looks(e, func(x *ir.Expr) (found, into bool) {
		if x.Is(ir.String) {
			out = append(out, x.Text)
		}
		for _, a := range x.Args {
			out = append(out, a.Name)
		}
		return len(out) > maxWords, x.Is(ir.Name, ir.List, ir.Object, ir.Index, ir.New, ir.Call) && !x.X.Is(ir.Attr)
	})
	return strings.Join(out, " ")
}

// readOnlyMode is how a connection or a transaction is told to refuse what writes.
var readOnlyMode = lazyregexp.New(`(?i)\bmode=ro\b|query_only|default_transaction_read_only|set_read_?only|set_session\(\s*readonly|\bread_?only\s*[:=]\s*true|access_mode\s*=\s*.?read|set\s+session\s+(characteristics|transaction)[\w\s]*read\s+only`)

// readOnlyTransaction begins a transaction that reads, which a statement of the caller's can end.
var readOnlyTransaction = lazyregexp.New(`(?i)\b(begin|start|set)\b(\s+transaction)?[\w\s,]*\bread\s+only\b`)

// makesReadOnly reports whether connections or transactions of the program are told to refuse what writes. They are made apart from
// their use, so that the text of the whole program counts.
func (a *analyzer) makesReadOnly() bool {
	if a.readOnly == nil {
		a.readOnly = new(bool)
		for _, f := range a.g.Program().Files {
			if !bytes.Contains(f.Source, []byte("mode=ro")) && !bytes.Contains(f.Source, []byte("nly")) && !bytes.Contains(f.Source, []byte("NLY")) && !bytes.Contains(f.Source, []byte("access_mode")) {
				continue // looking through bundles letter by letter takes time
			}
			*a.readOnly = *a.readOnly || readOnlyMode.Match(f.Source) || readOnlyTransaction.Match(f.Source)
		}
	}
	return *a.readOnly
}

// wholeStatementSink is a statement that the caller sends as a whole, to a server that promises to read only.
func (r *reader) wholeStatementSink(c call, v *value, name string) {
	if readOnlyTransaction.MatchString(v.fixed) {
		r.st.readOnly = true
		return
	}
	if r.st.readOnly && len(c.args) == 1 && severalRunners.MatchString(name) {
		r.sinkMarksBehind(severalFront, c, sink.SQLFlow, name, readOnlyBegun, v.marks)
	}
	if !r.a.makesReadOnly() {
		r.sinkMarksBehind(wordsFront, c, sink.SQLFlow, name, readOnlyWords, v.marks)
	}
}

// promised returns the flows without those of a parameter that also reaches a database without a comparison of words: there, words
// choose between ways and promise nothing.
func promised(flows []flow) []flow {
	broken := map[source]bool{}
	for _, f := range flows {
		if f.about == readOnlyWords && f.head == "" && f.facts&wordsAsked == 0 {
			broken[f.src] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(flows), func(f flow) bool { return f.about == readOnlyWords && broken[f.src] })
}

// How a promise to read only is kept.
const (
	readOnlyWords = "read only, by words"
	readOnlyBegun = "read only, by a transaction"
)

// severalRunners are packages whose calls run more than one statement in their text.
var severalRunners = lazyregexp.New(`^(pg|psycopg2?|psycopg_pool|postgres)\.|^@neondatabase/`)
