package testkit

// Shrink removes statements and threads as long as fails holds, and returns the smallest
// program it found. It does not change p.
func Shrink(p *Program, fails func(*Program) bool) *Program {
	best := p
	for {
		smaller := func() *Program {
			for _, q := range reductions(best) {
				if fails(q) {
					return q
				}
			}
			return nil
		}()
		if smaller == nil {
			return best
		}
		best = smaller
	}
}

// reductions returns the programs that are one step smaller than p.
func reductions(p *Program) []*Program {
	var out []*Program
	with := func(threads [][]Stmt) {
		out = append(out, &Program{Seed: p.Seed, Spawned: p.Spawned, Goal: p.Goal, Quiet: p.Quiet, Computed: p.Computed, AnyGoal: p.AnyGoal, Threads: threads})
	}
	for i := range p.Threads {
		if len(p.Threads) > 1 && !(p.Spawned && i == 0) {
			with(append(append([][]Stmt{}, p.Threads[:i]...), p.Threads[i+1:]...))
		}
	}
	for i := range p.Threads {
		for _, list := range shorter(p.Threads[i]) {
			threads := append([][]Stmt{}, p.Threads...)
			threads[i] = list
			with(threads)
		}
	}
	return out
}

// shorter returns the lists in which one statement is removed, replaced by its parts, or
// made simpler.
func shorter(list []Stmt) [][]Stmt {
	var out [][]Stmt
	replace := func(i int, by ...Stmt) {
		l := append([]Stmt{}, list[:i]...)
		l = append(l, by...)
		out = append(out, append(l, list[i+1:]...))
	}
	for i := range list {
		replace(i)
	}
	for i, s := range list {
		if len(s.Body) > 0 || len(s.Else) > 0 {
			replace(i, append(append([]Stmt{}, s.Body...), s.Else...)...)
			for _, b := range shorter(s.Body) {
				t := s
				t.Body = b
				replace(i, t)
			}
			for _, b := range shorter(s.Else) {
				t := s
				t.Else = b
				replace(i, t)
			}
		}
		if s.Kind == Store && s.Val > 1 {
			t := s
			t.Val = 1
			replace(i, t)
		}
	}
	return out
}
