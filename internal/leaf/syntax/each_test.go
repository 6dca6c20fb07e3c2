package syntax

import (
	"fmt"
	"testing"
)

// TestEach: trees come in the order of their texts, however many are made at a time, and what goes wrong with one is told for it.
func TestEach(t *testing.T) {
	var texts []Text
	for i := range 40 {
		texts = append(texts, Text{Python(), fmt.Appendf(nil, "name_%d = %d\n", i, i)})
	}
	texts[7].Source = make([]byte, MaxBytes+1)
	next := 0
	Each(texts, nil, func(i int, tree *Tree, err error) {
		if i != next || (err != nil) != (i == 7) || err == nil && string(tree.Source) != string(texts[i].Source) {
			t.Errorf("text %d came in the place of %d: %v", i, next, err)
		}
		next++
	})
	if next != len(texts) {
		t.Errorf("%d texts came, want %d", next, len(texts))
	}
}

// TestEachEndsWithItsUser: a panic of who uses a tree is theirs, and what was made ahead is taken back.
func TestEachEndsWithItsUser(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
	}()
	Each([]Text{{Python(), []byte("a = 1")}, {Python(), []byte("b = 2")}, {Python(), []byte("c = 3")}}, nil, func(i int, _ *Tree, _ error) {
		if i == 1 {
			panic("here")
		}
	})
}
