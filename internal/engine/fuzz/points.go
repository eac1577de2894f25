package fuzz

import "fencepost/verdict"

// points are where a schedule can interfere: a location of a thread with a step that other threads can
// notice, and a store that enters a buffer. The slices are indexed by thread and location.
type points struct {
	first                                 []int // by thread: the index of its first location
	reached, preempted, buffered, delayed []bool
}

func newPoints(locations []int) points {
	p, n := points{}, 0
	for _, k := range locations {
		p.first = append(p.first, n)
		n += k
	}
	for _, list := range []*[]bool{&p.reached, &p.preempted, &p.buffered, &p.delayed} {
		*list = make([]bool, n)
	}
	return p
}

// add adds what another worker has reached.
func (p *points) add(o *points) {
	for i := range p.reached {
		p.reached[i] = p.reached[i] || o.reached[i]
		p.preempted[i] = p.preempted[i] || o.preempted[i]
		p.buffered[i] = p.buffered[i] || o.buffered[i]
		p.delayed[i] = p.delayed[i] || o.delayed[i]
	}
}

// count writes down how many points there are.
func (p *points) count(f *verdict.Fuzz) {
	for i := range p.reached {
		f.Points += one(p.reached[i])
		f.Preempted += one(p.preempted[i])
		f.Stores += one(p.buffered[i])
		f.Delayed += one(p.delayed[i])
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
