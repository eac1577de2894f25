package text

import (
	"fmt"
	"io"
	"path"
	"strings"

	"fencepost/verdict"
)

// Trace prints one Shasha-Snir trace: what each thread did in its order, from whom
// its loads got their values, which store came after which, and the cycle if there is one.
func Trace(w io.Writer, t *verdict.Trace) {
	fmt.Fprint(w, t.Name())
	if t.Cycle != nil {
		fmt.Fprint(w, ": not possible under sequential consistency")
	}
	fmt.Fprintln(w)
	for _, f := range t.Fails {
		fmt.Fprintf(w, "  fails: %s\n", oneLine(f))
	}
	if t.Blocked {
		fmt.Fprintln(w, "  blocked: a thread stops at an assumption, or waits for ever")
	}
	sources := map[int][]string{}
	var order []string
	for _, e := range t.Edges {
		switch e.Kind {
		case "src":
			sources[e.To] = append(sources[e.To], storeText(t, e.From))
		case "st":
			order = append(order, fmt.Sprintf("%s before %s", storeText(t, e.From), storeText(t, e.To)))
		}
	}
	for thread := range t.Witness.Threads {
		for i, n := range t.Nodes {
			if n.Thread != thread {
				continue
			}
			line, from := "  "+storeText(t, i), ""
			if value, ok := readValue(t, i); ok {
				line += " -> " + oneLine(value)
				from = ", from the initial value"
				if s := sources[i]; len(s) > 0 {
					from = ", from " + strings.Join(s, ", ")
				}
			}
			if pos := t.Witness.Steps[n.Step].Pos; pos != nil && pos.Line > 0 {
				line += fmt.Sprintf(" (%s:%d)", oneLine(path.Base(pos.File)), pos.Line)
			}
			fmt.Fprintln(w, line+from)
		}
	}
	for _, line := range order {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if t.Cycle != nil {
		fmt.Fprintf(w, "  cycle: %s\n", cycleText(t))
	}
}

// storeText returns a node, with the value if it is a single store.
func storeText(t *verdict.Trace, node int) string {
	n := &t.Nodes[node]
	if st := &t.Witness.Steps[n.Step]; st.Kind == verdict.StepStore && !st.Free && strings.HasSuffix(n.Text, " st "+st.Location) {
		return oneLine(n.Text + " = " + st.ValueText())
	}
	return oneLine(n.Text)
}

// readValue returns the value that a node with a single load read.
func readValue(t *verdict.Trace, node int) (string, bool) {
	st := &t.Witness.Steps[t.Nodes[node].Step]
	if st.Kind == verdict.StepLoad || st.Kind == verdict.StepRMW {
		return st.ValueText(), true
	}
	return "", false
}

func cycleText(t *verdict.Trace) string {
	var out strings.Builder
	for _, e := range t.Cycle {
		fmt.Fprintf(&out, "%s -%s-> ", oneLine(t.Nodes[e.From].Text), e.Kind)
	}
	return out.String() + oneLine(t.Nodes[t.Cycle[0].From].Text)
}

// TraceSet prints how many traces there are.
func TraceSet(w io.Writer, s *verdict.TraceSet, onlyCounted bool) {
	one, several := "trace", "traces"
	if s.By == "reads-from" {
		one, several = "reads-from class", "reads-from classes"
	}
	fmt.Fprintf(w, "%s: %s under %s", oneLine(s.Program), counted(s.Count+s.Failing, one, several), strings.ToUpper(s.Model))
	if s.Orbits > 0 {
		fmt.Fprintf(w, ", %s up to the exchange of equal threads", Count(s.Orbits))
	}
	if s.Failing > 0 {
		fmt.Fprintf(w, ", a check fails in %s", Count(s.Failing))
	}
	if !onlyCounted && s.Cyclic > 0 {
		fmt.Fprintf(w, ", %s not possible under sequential consistency", Count(s.Cyclic))
	}
	if s.Stats.Blocked > 0 {
		fmt.Fprintf(w, "; %s blocked", counted(s.Stats.Blocked, "execution", "executions"))
	}
	fmt.Fprintln(w)
	if s.Reason != "" {
		fmt.Fprintf(w, "  there may be more: %s\n", Reason(s.Reason))
	}
	if s.Coverage.Unsupported.Shown() {
		(&printer{w: w}).reached(s.Coverage.Unsupported)
	}
	said := map[string]bool{} // several loops may meet one bound
	for _, b := range s.Coverage.Bounds {
		line := fmt.Sprintf("  there may be more: the bound %s %d was hit", b.Name, b.Value)
		if b.Hit && b.Name != verdict.BoundUnsupported && !said[line] {
			said[line] = true
			fmt.Fprintln(w, line)
		}
	}
}
