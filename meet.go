package ddb

// Whether two key templates can give one key is decided exactly: each template
// is a row of character runs, and two rows meet if some text fits both.

// charSet is a set of bytes.
type charSet [4]uint64

func (s *charSet) add(c byte) { s[c/64] |= 1 << (c % 64) }

func (s charSet) meets(t charSet) bool {
	for i := range s {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

func (s charSet) with(t charSet) charSet {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

func oneOf(chars string) charSet {
	var s charSet
	for i := range len(chars) {
		s.add(chars[i])
	}
	return s
}

func allBut(c byte) charSet {
	s := anyByte
	s[c/64] &^= 1 << (c % 64)
	return s
}

var anyByte = charSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// charRun is one byte out of a set or, with many, one or more of them.
type charRun struct {
	set  charSet
	many bool
}

// anyTail fits any text of at least one byte.
var anyTail = charRun{set: anyByte, many: true}

func literalRuns(text string) []charRun {
	runs := make([]charRun, len(text))
	for i := range len(text) {
		runs[i] = charRun{set: oneOf(text[i : i+1])}
	}
	return runs
}

// meet reports whether some text fits both rows. It walks all pairs of places
// that reading one text can lead to, each once.
func meet(a, b []charRun) bool {
	seen := make(map[[2]int]bool)
	var from func(i, j int) bool
	from = func(i, j int) bool {
		if i == len(a) && j == len(b) {
			return true
		}
		if i == len(a) || j == len(b) || seen[[2]int{i, j}] || !a[i].set.meets(b[j].set) {
			return false
		}
		seen[[2]int{i, j}] = true
		return from(i+1, j+1) ||
			a[i].many && from(i, j+1) ||
			b[j].many && from(i+1, j) ||
			a[i].many && b[j].many && from(i, j)
	}
	return from(0, 0)
}
