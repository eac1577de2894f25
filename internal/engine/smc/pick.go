package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// Which event comes next.

// pick returns a process and a label for an enabled event that is not in sleep. If possible it
// takes the thread that moved last or one of its buffers, since then the others need not be
// checked. The others are the threads in among. Joins come last: what they wait for has mostly happened by then, and the tail of the execution
// begins with them (tail.go). last is the thread that moved last, or none.
func pick(m *machine.Machine, among *alive, sleep []event, last int32) (int32, label, bool) {
	if t := int(last); t >= 0 {
		if p, ok := pickBuffer(m, sleep, t); ok {
			return p, label{}, true
		}
		if !joining(m, t) {
			if lb, ok := pickThread(m, sleep, t); ok {
				return int32(t), lb, true
			}
		}
	}
	for t := among.first(); t != among.end(); t = among.next[t] {
		if p, ok := pickBuffer(m, sleep, int(t)); ok {
			return p, label{}, true
		}
	}
	for _, late := range []bool{false, true} {
		for t := among.first(); t != among.end(); t = among.next[t] {
			if joining(m, int(t)) != late {
				continue
			}
			if lb, ok := pickThread(m, sleep, int(t)); ok {
				return t, lb, true
			}
		}
	}
	return 0, label{}, false
}

// joining reports whether all that thread t can do next is a join.
func joining(m *machine.Machine, t int) bool {
	th := m.Sys.Thread(m.State, t)
	return m.State.Running(ir.ThreadID(t)) && th.EdgeCount() == 1 && th.Op(0).Kind == ir.Join
}

func pickBuffer(m *machine.Machine, sleep []event, t int) (int32, bool) {
	buf := m.State.Buffer(ir.ThreadID(t))
	for i := range buf {
		if buf[i].Kind == memory.Marker {
			break
		}
		if !m.CanUpdate(t, buf[i].Addr, buf[i].Size) {
			continue
		}
		if p := m.BufferOf(t, &buf[i]); !asleep(sleep, p, label{}) {
			return p, true
		}
		if m.Sys.Model == memory.TSO {
			break
		}
	}
	return 0, false
}

func pickThread(m *machine.Machine, sleep []event, t int) (label, bool) {
	m.List(t)
	for _, lb := range m.Options {
		if !asleep(sleep, int32(t), lb) {
			return lb, true
		}
	}
	return label{}, false
}

func asleep(sleep []event, p int32, lb label) bool {
	for i := range sleep {
		if sleep[i].Proc == p && sleep[i].Label == lb {
			return true
		}
	}
	return false
}
