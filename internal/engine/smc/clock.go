package smc

// Vector clocks [AAAJLS15 App. B].
//
// Differs from the paper: a clock has entries only for the processes that have an event in the past which it describes,
// by their numbers. So it is as long as the past is wide, however many processes there are. Under TSO there are twice
// as many as threads, and under PSO more.

// clock is the newest event of each process in the past of an event, the event included.
type clock []tick

// tick is a process and the number of an event among its events.
type tick struct{ proc, idx int32 }

// at returns the number of the newest event of a process, 0 if there is none.
func (c clock) at(p int32) int32 {
	if len(c) > 8 {
		lo, hi := 0, len(c)
		for lo < hi {
			if mid := (lo + hi) / 2; c[mid].proc < p {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if lo < len(c) && c[lo].proc == p {
			return c[lo].idx
		}
		return 0
	}
	for i := range c {
		if c[i].proc >= p {
			if c[i].proc == p {
				return c[i].idx
			}
			return 0
		}
	}
	return 0
}

// clockSum is the least upper bound of clocks.
type clockSum struct {
	sum   clock
	other clock // scratch
}

func (s *clockSum) reset() { s.sum = s.sum[:0] }

// join adds a clock.
func (s *clockSum) join(c clock) {
	if len(s.sum) == 0 {
		s.sum = append(s.sum, c...)
		return
	}
	i := 0 // of the sum
	for k := range c {
		for i < len(s.sum) && s.sum[i].proc < c[k].proc {
			i++
		}
		if i == len(s.sum) || s.sum[i].proc != c[k].proc {
			s.merge(c, k, i)
			return
		}
		s.sum[i].idx = max(s.sum[i].idx, c[k].idx)
	}
}

// merge adds the entries of a clock from number k on, to the sum from number i on.
func (s *clockSum) merge(c clock, k, i int) {
	out := append(s.other[:0], s.sum[:i]...)
	for ; k < len(c); k++ {
		for i < len(s.sum) && s.sum[i].proc < c[k].proc {
			out = append(out, s.sum[i])
			i++
		}
		t := c[k]
		if i < len(s.sum) && s.sum[i].proc == t.proc {
			t.idx = max(t.idx, s.sum[i].idx)
			i++
		}
		out = append(out, t)
	}
	out = append(out, s.sum[i:]...)
	s.sum, s.other = out, s.sum
}
