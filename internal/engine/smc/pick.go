package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// What can happen next.

// pick takes a process that can do something and does not sleep: if possible the
// buffer or the thread that moved last, which is found without looking at all.
func (x *explorer) pick(n *node) (int32, label, bool) {
	if i := len(x.ev) - 1; i >= 0 {
		t := int(x.ev[i].thread)
		if p, ok := x.pickBuffer(n, t); ok {
			return p, label{}, true
		}
		if lb, ok := x.pickThread(n, t); ok {
			return int32(t), lb, true
		}
	}
	for t := range x.threads {
		if p, ok := x.pickBuffer(n, t); ok {
			return p, label{}, true
		}
	}
	for t := range x.threads {
		if lb, ok := x.pickThread(n, t); ok {
			return int32(t), lb, true
		}
	}
	return 0, label{}, false
}

func (x *explorer) pickBuffer(n *node, t int) (int32, bool) {
	buf := x.s.Buffer(ir.ThreadID(t))
	if len(buf) == 0 || x.threads[t].jam {
		return 0, false
	}
	for i := range buf {
		if buf[i].Kind == memory.Marker {
			break
		}
		if _, ok := x.y.FindFlush(x.s, t, buf[i].Addr, buf[i].Size); !ok {
			continue
		}
		if p := x.buffer(t, &buf[i]); !asleep(n, p, label{}) {
			return p, true
		}
		if x.y.Model == memory.TSO {
			break
		}
	}
	return 0, false
}

func (x *explorer) pickThread(n *node, t int) (label, bool) {
	x.list(t)
	for _, lb := range x.options {
		if !asleep(n, int32(t), lb) {
			return lb, true
		}
	}
	return label{}, false
}

func asleep(n *node, p int32, lb label) bool {
	for i := range n.sleep {
		if n.sleep[i].proc == p && n.sleep[i].label == lb {
			return true
		}
	}
	return false
}

// list finds what thread t can do: x.options, and x.hidden, edges that may be
// possible later.
func (x *explorer) list(t int) {
	x.options, x.hidden = x.options[:0], x.hidden[:0]
	if !x.s.Started(ir.ThreadID(t)) || x.threads[t].stop != goesOn {
		return
	}
	if !x.y.Running(x.s, t) {
		x.local = x.y.EnabledEdges(x.s, t, x.local[:0])
		for _, st := range x.local {
			if st.Kind != memory.Wake {
				x.options = append(x.options, label{edge: st.Edge, choice: st.Choice})
			}
		}
		return
	}
	for i := range int32(x.y.Edges(x.s, t)) {
		x.local = x.y.EnabledEdge(x.s, t, i, x.local[:0])
		for _, st := range x.local {
			x.options = append(x.options, label{edge: i, choice: st.Choice})
			if x.y.Op(x.s, t, i).Kind == ir.CondWait {
				x.options = append(x.options, label{edge: i, choice: 1})
			}
		}
		if len(x.local) > 0 {
			continue
		}
		switch x.y.Hinders(x.s, t, i).Why {
		case memory.Refusal:
			x.options = append(x.options, label{edge: i})
		case memory.Buffer, memory.Held, memory.Others:
			x.hidden = append(x.hidden, label{edge: i, choice: anyChoice})
		}
	}
}
