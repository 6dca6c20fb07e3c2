package rawjson

// Equal reports whether two values mean the same: numbers by exact value (42 equals 42.0), strings as decoded, arrays
// in order, objects in any order. The last of duplicate members counts, as in [Value.Get]. Nothing is converted: 42 is
// not "42". Two absent values are equal.
//
// Values nested deeper than 10,000 levels compare as written.
func Equal(a, b Value) bool { return equal(a, b, 0) }

func equal(a, b Value, depth int) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case Number:
		order, _ := CompareNumbers(a, b)
		return order == 0
	case String, key:
		return a.Raw() == b.Raw() || a.Text() == b.Text()
	case Array, Object:
		// Comparing texts at every level would take quadratic time.
		switch outermost := depth == 0; {
		case (outermost || depth == canonicalDepth) && a.Raw() == b.Raw():
			return true
		case depth == canonicalDepth:
			return false
		case a.Kind() == Array:
			return equalElements(a, b, depth)
		}
		return equalMembers(a, b, depth)
	}
	return a.Raw() == b.Raw()
}

func equalElements(a, b Value, depth int) bool {
	i, n := a.firstElement(), b.firstElement()
	for i.Exists() && n.Exists() {
		if !equal(i, n, depth+1) {
			return false
		}
		i, n = i.sibling(a), n.sibling(b)
	}
	return !i.Exists() && !n.Exists()
}

// firstElement returns an array's first element, absent if it has none.
func (v Value) firstElement() Value {
	if v.i+1 == v.t.nodes[v.i].next {
		return Value{}
	}
	return Value{v.t, v.i + 1}
}

// sibling returns the element of array after v, absent after the last.
func (v Value) sibling(array Value) Value {
	next := v.t.nodes[v.i].next
	if next == array.t.nodes[array.i].next {
		return Value{}
	}
	return Value{v.t, next}
}

// fewMembers is the size up to which searching an object beats building a map.
const fewMembers = 8

func equalMembers(a, b Value, depth int) bool {
	if a.Len() > fewMembers || b.Len() > fewMembers {
		return equalMaps(a, b, depth)
	}
	return isSubset(a, b, depth) && sameNames(b, a)
}

// isSubset reports whether b has an equal for each member of a.
func isSubset(a, b Value, depth int) bool {
	for m := range a.Members() {
		name := m.Key.Text()
		if a.Get(name) != m.Value { // a later duplicate counts
			continue
		}
		if in := b.Get(name); !in.Exists() || !equal(m.Value, in, depth+1) {
			return false
		}
	}
	return true
}

func sameNames(a, b Value) bool {
	for m := range a.Members() {
		if !b.Get(m.Key.Text()).Exists() {
			return false
		}
	}
	return true
}

func equalMaps(a, b Value, depth int) bool {
	in, of := lastMembers(a), lastMembers(b)
	if len(in) != len(of) {
		return false
	}
	for name, v := range in {
		if w, ok := of[name]; !ok || !equal(v, w, depth+1) {
			return false
		}
	}
	return true
}

func lastMembers(v Value) map[string]Value {
	out := make(map[string]Value, v.Len())
	for m := range v.Members() {
		out[m.Key.Text()] = m.Value
	}
	return out
}
