package trace

import (
	"fmt"
	"slices"
	"strings"
)

// Exchanged returns a text that is equal for two executions exactly if the trace of one is that of the other with its
// threads exchanged by as, which has the new thread of each; with readsFrom, if that holds of their reads-from classes. It
// has no values, since those follow from what is read, and which the words of mutexes have for their owners; nor how main
// starts threads and waits for them, which exchanges leave as it is (docs/engines/symmetry.md).
func (t *Trace) Exchanged(as []int, main int, readsFrom bool) string {
	name, count := make([]string, len(t.Events)), make([]int, len(as))
	for i, e := range t.Events {
		name[i] = fmt.Sprintf("%d.%d", as[e.Thread], count[e.Thread])
		count[e.Thread]++
	}
	lines := make([]string, len(t.Events))
	for i, e := range t.Events {
		var out strings.Builder
		fmt.Fprintf(&out, "%s:", name[i])
		for _, a := range e.Reads {
			fmt.Fprintf(&out, " r%x/%d", a.Addr, a.Size)
		}
		for _, a := range e.Writes {
			fmt.Fprintf(&out, " w%x/%d", a.Addr, a.Size)
		}
		var arcs []string
		for _, k := range t.out[i] {
			switch a := t.Edges[k]; {
			case a.Kind == PO, readsFrom && a.Kind != SRC, a.Kind == SY && (e.Thread == main || t.Events[a.To].Thread == main):
			default:
				arcs = append(arcs, fmt.Sprintf("%s>%s", a.Kind, name[a.To]))
			}
		}
		slices.Sort(arcs)
		fmt.Fprintf(&out, " %s\n", strings.Join(arcs, " "))
		lines[i] = out.String()
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
