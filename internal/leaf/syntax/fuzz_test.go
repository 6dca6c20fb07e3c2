package syntax

import "testing"

// FuzzParse: exactly one of tree and error; children lie in their parents, in order.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"def f(x):\n  return open(x)\n", "const a = `${b}` + {c: 1}['d'];", "class A<T> extends B { @d x?: string = 1 }", "\x00(((", "f(\xff\xfe"} {
		f.Add([]byte(s), byte(0))
		f.Add([]byte(s), byte(2))
	}
	f.Fuzz(func(t *testing.T, text []byte, which byte) {
		lang := []*Language{Python(), JavaScript(), TypeScript(), TSX()}[which%4]
		tree, err := Parse(lang, text, nil)
		if (tree == nil) == (err == nil) {
			t.Fatalf("want exactly one of tree and error, got %v, %v", tree != nil, err)
		}
		if tree == nil {
			return
		}
		for n := range Node(tree.Len()) {
			at := tree.Start(n)
			for c := tree.First(n); c != None; c = tree.Next(c) {
				if tree.Start(c) < at || tree.End(c) < tree.Start(c) || tree.End(c) > tree.End(n) {
					t.Fatalf("node %d at %d-%d does not lie in its parent %d at %d-%d", c, tree.Start(c), tree.End(c), n, tree.Start(n), tree.End(n))
				}
				at = tree.End(c)
			}
		}
	})
}
