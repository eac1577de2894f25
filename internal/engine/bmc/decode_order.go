package bmc

import (
	"fmt"
	"slices"
)

// From a model of the order of events to an execution: the events in their order. What a thread
// puts into its buffer in between is no event, and is run as late as it can be.

// inOrder runs the events of a model.
func (d *decoder) inOrder(o *order) {
	rank := o.ranks(d.is)
	events := slices.Clone(o.events)
	slices.SortStableFunc(events, func(a, b happening) int {
		if a.group != b.group {
			return rank[a.group] - rank[b.group]
		}
		return o.index[a.loc] - o.index[b.loc]
	})
	for _, e := range events {
		if d.done || d.err != nil {
			return
		}
		t := e.thread
		if !d.is(t.turn(0, e.loc.pos)) {
			continue
		}
		d.fill(o, t, e)
		if d.done || d.err != nil {
			return
		}
		switch {
		case e.store == nil:
			if d.at[t.id] == e.loc {
				d.leave(t, e.loc, noTime)
			}
		case d.is(e.store.writes):
			i := slices.IndexFunc(d.queue, func(w waiting) bool { return w.store == e.store })
			if i < 0 {
				d.err = fmt.Errorf("the model lets a store reach memory that was not made")
				return
			}
			d.landSilent(t, i)
			if i = slices.IndexFunc(d.queue, func(w waiting) bool { return w.store == e.store }); i >= 0 {
				d.landAt(i)
				d.landEager(t)
			}
		}
	}
}

// landAt lets a store of the queue reach memory.
func (d *decoder) landAt(i int) {
	w := d.queue[i]
	d.queue = slices.Delete(d.queue, i, i+1)
	d.land(w)
}

// landSilent lets the stores to thread-private memory among the first i of the queue reach memory.
// They are no events: no other thread sees them.
func (d *decoder) landSilent(t *thread, i int) {
	for j := 0; j < i && j < len(d.queue) && d.err == nil && !d.done; j++ {
		if w := d.queue[j]; w.thread == t.id && w.store.access.silent {
			d.landAt(j)
			i, j = i-1, j-1
		}
	}
}

// landEager lets the stores of a thread to thread-private memory reach memory that wait for no event.
func (d *decoder) landEager(t *thread) {
	first := slices.IndexFunc(d.queue, func(w waiting) bool { return w.thread == t.id && !w.store.access.silent })
	if first < 0 {
		first = len(d.queue)
	}
	d.landSilent(t, first)
}

// noTime is before the time of every store: none reaches memory on its own.
const noTime = -1

// fill runs what a thread puts into its buffer before an event.
func (d *decoder) fill(o *order, t *thread, e happening) {
	for !d.done && d.err == nil {
		l := d.at[t.id]
		if l == nil || l.pos < 0 || !o.unseen(t, l) || !d.is(t.turn(0, l.pos)) {
			return
		}
		if at := o.index[l]; at > o.index[e.loc] || at == o.index[e.loc] && e.store == nil {
			return
		}
		if d.leave(t, l, noTime); d.at[t.id] == l {
			return
		}
	}
}
