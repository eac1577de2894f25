package ir

import "fmt"

// Atomic sections. Whether a location lies inside a section must not depend on the path to it:
// engines keep no such flag in their states.

// Terminal reports whether control does not continue after the operation.
func (op *Op) Terminal() bool {
	switch op.Kind {
	case Return, ThreadExit, Exit, Bound, Unsupported:
		return true
	}
	return false
}

// SectionLocs returns which locations lie inside an atomic section, found along all paths from
// the entry. It fails where sections nest, end without a beginning, contain the end of a thread,
// or where two paths disagree. Locations that cannot be reached count as outside.
func SectionLocs(f *Func) (inside []bool, err error) {
	inside = make([]bool, len(f.Locs))
	if len(f.Locs) == 0 {
		return inside, nil
	}
	out := adjacency(f)
	seen := make([]bool, len(f.Locs))
	seen[f.Entry] = true
	for work := []Loc{f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if inside[l] && len(out[l]) == 0 {
			return nil, fmt.Errorf("function %s: a thread can end at %s inside an atomic section", f.Name, f.Locs[l].Name)
		}
		for _, i := range out[l] {
			e := &f.Edges[i]
			in, err := sectionStep(f, e, inside[l])
			if err != nil {
				return nil, err
			}
			switch {
			case e.Op.Terminal():
			case !seen[e.To]:
				seen[e.To], inside[e.To] = true, in
				work = append(work, e.To)
			case inside[e.To] != in:
				return nil, fmt.Errorf("function %s: %s is inside an atomic section on some ways only", f.Name, f.Locs[e.To].Name)
			}
		}
	}
	return inside, nil
}

// sectionStep returns whether the end of an edge is inside a section.
func sectionStep(f *Func, e *Edge, inside bool) (bool, error) {
	switch e.Op.Kind {
	case AtomicBegin:
		if inside {
			return false, fmt.Errorf("function %s: edge %d begins an atomic section inside another", f.Name, e.ID)
		}
		return true, nil
	case AtomicEnd:
		if !inside {
			return false, fmt.Errorf("function %s: edge %d ends an atomic section that has not begun", f.Name, e.ID)
		}
		return false, nil
	case Return, ThreadExit:
		if inside {
			return false, fmt.Errorf("function %s: edge %d ends the thread inside an atomic section", f.Name, e.ID)
		}
	}
	return inside, nil
}

// hasSections reports whether f begins or ends sections.
func (f *Func) hasSections() bool {
	for i := range f.Edges {
		if k := f.Edges[i].Op.Kind; k == AtomicBegin || k == AtomicEnd {
			return true
		}
	}
	return false
}

// adjacency returns what Out does, for functions that need not be sealed.
func adjacency(f *Func) [][]int32 {
	out := make([][]int32, len(f.Locs))
	for i := range f.Edges {
		from := f.Edges[i].From
		out[from] = append(out[from], int32(i))
	}
	return out
}
