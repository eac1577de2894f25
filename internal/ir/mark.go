package ir

import "slices"

// Mark says more about an operation than models with store buffers need. The model c11 asks, and notes about the use of
// synchronisation objects and threads. It is a set.
type Mark uint8

// The marks.
const (
	// Weak marks a compare-exchange that may fail although the values are equal.
	Weak Mark = 1 << iota
	// AsStore marks an exchange that stands for a seq_cst store, as compilers for x86 translate one.
	AsStore
	// NonAtomic marks a plain access that the text itself calls not atomic, in a language whose plain accesses are relaxed under
	// c11.
	NonAtomic
	// Machine marks what an instruction of a processor does: it has no memory order of C11.
	Machine
	// Initialises and Destroys mark the stores by which a call begins and ends the life of a synchronisation object.
	Initialises
	Destroys
	// Detaches marks the assignment of the handle of a thread that is detached, and a spawn of a thread that may be detached.
	Detaches
	// Header marks an access to the bytes in front of what a program asked for (Lead). No other operation may access these.
	Header
)

var markNames = [...]string{"weak", "asstore", "nonatomic", "machine", "initialises", "destroys", "detaches", "header"}

// ParseMark returns the mark with a name.
func ParseMark(name string) (Mark, bool) {
	i := slices.Index(markNames[:], name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

// Names returns the names of the marks of the set.
func (m Mark) Names() []string {
	var names []string
	for i, name := range markNames {
		if m.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// Has reports whether the set has a mark.
func (m Mark) Has(n Mark) bool { return m&n != 0 }
