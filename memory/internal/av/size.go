package av

// Sizes in bytes, as DynamoDB counts them for the 400 KB limit, for pages and
// for capacity. CapacityUnitCalculations.html; the formula for numbers was
// found by observation.

// overhead is what a list or map costs beside its contents.
const overhead = 3

// Size returns the item size of m: the bytes of names and values. There is no
// constant part.
func (m Map) Size() int {
	n := 0
	for i := range m {
		n += len(m[i].Name) + m[i].Value.Size()
	}
	return n
}

// Size returns the size of the value without its attribute's name.
func (v Value) Size() int {
	switch v.kind {
	case S, B:
		return len(v.text)
	case N:
		return numberSize(v.text)
	case BOOL, NULL:
		return 1
	case SS, NS, BS, L, M:
		return v.sub.size
	}
	return 0
}

func setSize(k Kind, members []string) int {
	n := 0
	for _, s := range members {
		if k == NS {
			n += numberSize(s)
		} else {
			n += len(s)
		}
	}
	return n
}

func listSize(elems []Value) int {
	n := overhead + len(elems)
	for _, e := range elems {
		n += e.Size()
	}
	return n
}

func mapSize(m Map) int { return overhead + len(m) + m.Size() }

// Len returns what the function size() yields: UTF-16 code units of an S
// (observed; limits and capacity count UTF-8 bytes instead), bytes of a B,
// members or elements of a set, L or M. It reports false for other kinds.
func (v Value) Len() (int, bool) {
	switch v.kind {
	case S:
		return utf16Len(v.text), true
	case B:
		return len(v.text), true
	case SS, NS, BS:
		return len(v.sub.set), true
	case L:
		return len(v.sub.list), true
	case M:
		return len(v.sub.attr), true
	}
	return 0, false
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
