package rc11

// The axiom SC: psc = psc_base ∪ psc_F is acyclic, where
//
//	scb      = po ∪ (po≠loc ; hb ; po≠loc) ∪ hb|loc ∪ mo ∪ rb
//	psc_base = ([E sc] ∪ [F sc] ; hb?) ; scb ; ([E sc] ∪ hb? ; [F sc])
//	psc_F    = [F sc] ; (hb ∪ hb ; eco ; hb) ; [F sc]
//
// Accesses of several cells are plain. For them, an access has another location than a second one if they have no cell
// in common.

// scEvents lists the seq_cst events, and for each event the seq_cst events from which psc may enter it and to which it may leave
// it: the event itself, and fences that happen before or after it.
func (s *Solver) scEvents() {
	g := s.g
	s.sc, s.fences = s.sc[:0], s.fences[:0]
	for e := range g.Events {
		ev := &g.Events[e]
		if ev.Mode == SeqCst && ev.Kind != Other {
			if ev.Kind == Fence {
				s.fences = append(s.fences, int32(len(s.sc)))
			}
			s.sc = append(s.sc, int32(e))
		}
	}
	if len(s.sc) < 2 {
		return
	}
	n := len(g.Events)
	s.left = append(s.left[:0], make([][]int32, n)...)
	s.right = append(s.right[:0], make([][]int32, n)...)
	for k, e := range s.sc {
		s.left[e], s.right[e] = append(s.left[e], int32(k)), append(s.right[e], int32(k))
	}
	for _, k := range s.fences {
		f := s.sc[k]
		for e := range int32(n) {
			if s.HappensBefore(f, e) {
				s.left[e] = append(s.left[e], k)
			}
			if s.HappensBefore(e, f) {
				s.right[e] = append(s.right[e], k)
			}
		}
	}
	s.fixed = newMatrix(len(s.sc))
	s.fixedPart()
}

// matrix is a relation between the seq_cst events.
type matrix struct {
	n    int
	bits []bool
}

func newMatrix(n int) matrix { return matrix{n, make([]bool, n*n)} }

func (m *matrix) set(a, b int32) { m.bits[int(a)*m.n+int(b)] = true }

// connect adds the pairs of psc_base for a pair of scb.
func (s *Solver) connect(m *matrix, a, b int32) {
	for _, p := range s.left[a] {
		for _, q := range s.right[b] {
			m.set(p, q)
		}
	}
}

// otherLocation reports whether two events have no cell in common.
func (s *Solver) otherLocation(a, b int32) bool {
	for _, c := range s.g.Events[a].Cells {
		for _, d := range s.g.Events[b].Cells {
			if c == d {
				return false
			}
		}
	}
	return true
}

// leave returns the first event after e in its thread that has another location, and enter the last one before it; or None.
func (s *Solver) leave(e int32) int32 {
	list := s.threads[s.g.Events[e].Thread]
	for _, d := range list[s.index[e]+1:] {
		if s.otherLocation(e, d) {
			return d
		}
	}
	return None
}

func (s *Solver) enter(e int32) int32 {
	list := s.threads[s.g.Events[e].Thread]
	for i := s.index[e] - 1; i >= 0; i-- {
		if s.otherLocation(e, list[i]) {
			return list[i]
		}
	}
	return None
}

// fixedPart computes the part of psc that does not depend on modification order.
func (s *Solver) fixedPart() {
	g := s.g
	m := &s.fixed
	leaves, enters := make([]int32, len(g.Events)), make([]int32, len(g.Events))
	for e := range g.Events {
		leaves[e], enters[e] = s.leave(int32(e)), s.enter(int32(e))
	}
	for a := range int32(len(g.Events)) {
		if len(s.left[a]) == 0 {
			continue
		}
		for b := range int32(len(g.Events)) {
			if len(s.right[b]) == 0 || a == b || !s.HappensBefore(a, b) {
				continue
			}
			switch {
			case g.Events[a].Thread == g.Events[b].Thread, !s.otherLocation(a, b),
				leaves[a] != None && enters[b] != None && s.HappensBefore(leaves[a], enters[b]):
				s.connect(m, a, b)
			}
		}
	}
	for _, p := range s.fences {
		for _, q := range s.fences {
			if s.HappensBefore(s.sc[p], s.sc[q]) {
				m.set(p, q)
			}
		}
	}
}

// scAcyclic reports whether psc has no cycle, as far as modification order is known.
func (s *Solver) scAcyclic() bool {
	if len(s.sc) < 2 {
		return true
	}
	m := matrix{s.fixed.n, append(s.psc[:0], s.fixed.bits...)}
	s.psc = m.bits
	for i := range s.cells {
		c := &s.cells[i]
		for _, a := range c.accesses {
			if len(s.left[a]) == 0 {
				continue
			}
			from := s.slotOf(s.source(a, c.cell), c.cell)
			for _, b := range c.accesses {
				if len(s.right[b]) == 0 || a == b {
					continue
				}
				to := s.slotOf(s.source(b, c.cell), c.cell)
				after := c.earlier(from, to)
				if after && s.g.Events[b].Kind == Write {
					s.connect(&m, a, b)
				}
				if len(s.fences) > 0 && (after || from == to && s.g.Events[a].Kind == Write) {
					s.between(&m, a, b)
				}
			}
		}
	}
	return m.acyclic()
}

// between adds the pairs of psc_F for a pair of eco.
func (s *Solver) between(m *matrix, a, b int32) {
	for _, p := range s.left[a] {
		if f := s.sc[p]; f == a || s.g.Events[f].Kind != Fence {
			continue
		}
		for _, q := range s.right[b] {
			if f := s.sc[q]; f != b && s.g.Events[f].Kind == Fence {
				m.set(p, q)
			}
		}
	}
}

// acyclic reports whether the relation has no cycle.
func (m *matrix) acyclic() bool {
	state := make([]uint8, m.n) // 1: on the path, 2: done
	var visit func(a int) bool
	visit = func(a int) bool {
		state[a] = 1
		for b, to := range m.bits[a*m.n : (a+1)*m.n] {
			if to && (state[b] == 1 || state[b] == 0 && !visit(b)) {
				return false
			}
		}
		state[a] = 2
		return true
	}
	for a := range m.n {
		if state[a] == 0 && !visit(a) {
			return false
		}
	}
	return true
}
