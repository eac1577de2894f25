package bmc

// table is an array that is never changed: set returns another one, which has most of its memory in
// common with the first. The state of a thread is kept for each of its locations, and from one to the
// next little of it changes. So what all states take together grows with the program, and not with its
// square.
type table[T any] struct {
	root  *branch[T]
	depth int // of the tree of branches
}

// fanOut is the number of elements or branches of a branch, as a power of two.
const fanOut = 3

// branch is the elements of a range, or the branches that have them. Nil stands for zero values.
type branch[T any] struct {
	below  [1 << fanOut]*branch[T]
	values *[1 << fanOut]T // at the lowest level
}

// newTable returns a table of n elements that f returns.
func newTable[T any](n int, f func(i int) T) table[T] {
	t := table[T]{}
	for n > 1<<(fanOut*(t.depth+1)) {
		t.depth++
	}
	t.root = newBranch(t.depth, 0, n, f)
	return t
}

// tableOf returns the table of some elements.
func tableOf[T any](elements []T) table[T] {
	return newTable(len(elements), func(i int) T { return elements[i] })
}

func newBranch[T any](depth, from, n int, f func(i int) T) *branch[T] {
	if from >= n {
		return nil
	}
	out := &branch[T]{}
	if depth == 0 {
		out.values = new([1 << fanOut]T)
	}
	for k := range 1 << fanOut {
		at := from + k<<(fanOut*depth)
		switch {
		case at >= n:
		case depth == 0:
			out.values[k] = f(at)
		default:
			out.below[k] = newBranch(depth-1, at, n, f)
		}
	}
	return out
}

// at returns element i.
func (t table[T]) at(i int) T {
	b := t.root
	for d := t.depth; d > 0; d-- {
		b = b.below[digit(i, d)]
	}
	return b.values[digit(i, 0)]
}

// digit returns the index of element i among those below a branch at a level.
func digit(i, depth int) int { return i >> (fanOut * depth) & (1<<fanOut - 1) }

// set returns a table in which element i is v.
func (t table[T]) set(i int, v T) table[T] {
	t.root = t.root.set(t.depth, i, v)
	return t
}

func (b *branch[T]) set(depth, i int, v T) *branch[T] {
	out := *b
	k := digit(i, depth)
	if depth == 0 {
		values := *b.values
		values[k] = v
		out.values = &values
	} else {
		out.below[k] = b.below[k].set(depth-1, i, v)
	}
	return &out
}

// mergeTables returns the results of f for the elements of two tables of one size. For what they have in
// common f is not called: x and x make x.
func mergeTables[T any](a, b table[T], f func(i int, a, b T) T) table[T] {
	a.root = a.root.merge(b.root, a.depth, 0, f)
	return a
}

func (b *branch[T]) merge(other *branch[T], depth, from int, f func(i int, a, b T) T) *branch[T] {
	if b == other {
		return b
	}
	out := &branch[T]{}
	if b.values != nil {
		out.values = new([1 << fanOut]T)
		for k := range b.values {
			out.values[k] = f(from+k, b.values[k], other.values[k])
		}
		return out
	}
	for k := range b.below {
		out.below[k] = b.below[k].merge(other.below[k], depth-1, from+k<<(fanOut*depth), f)
	}
	return out
}
