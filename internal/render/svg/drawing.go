package svg

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// Measures in pixels.
const (
	nodeHeight = 40
	rowHeight  = 84
	headHeight = 34
	side       = 56 // room left and right for edges that go round
	gap        = 110
	charWidth  = 8
	minNode    = 96
	maxLabel   = 30 // characters
	// manyNodes is the number of nodes above which only the cycle is drawn, or, without a cycle, the last lastNodes.
	manyNodes = 60
	lastNodes = 40
)

// drawing is a graph with its layout: a column per thread that has nodes, and in
// each column program order downwards.
type drawing struct {
	prefix  string
	names   relation.Names
	e       *verdict.Execution
	order   relation.HappensBefore
	left    int // nodes left out
	unnamed int // and those of machine code that no line of the source tells of
	label   []string
	line    []string
	cycle   map[verdict.TraceEdge]bool
	on      map[int]bool // nodes on the cycle
	delayed int          // the step, or -1

	columns []int // threads
	node    int   // width of nodes
	x, y    []int // of the nodes' centres
	width   int
	height  int
}

func newDrawing(e *verdict.Execution, prefix string, names relation.Names) *drawing {
	d := &drawing{prefix: prefix, names: names, e: e, order: relation.Of(e), cycle: map[verdict.TraceEdge]bool{}, on: map[int]bool{}, delayed: -1}
	if store, _, ok := relation.Delayed(e); ok && len(d.order.Cycle) > 0 {
		d.delayed = store
	}
	if _, hidden := rows.InSource(e); hidden != nil {
		d.inSource(hidden)
	}
	if n := len(d.order.Nodes); n > manyNodes {
		keep := map[int]bool{}
		for _, c := range d.order.Cycle {
			keep[c.From], keep[c.To] = true, true
		}
		for i := n - lastNodes; i < n && len(d.order.Cycle) == 0; i++ {
			keep[i] = true
		}
		d.only(keep)
	}
	for _, c := range d.order.Cycle {
		d.cycle[c] = true
		d.on[c.From], d.on[c.To] = true, true
	}
	d.layout()
	return d
}

// inSource leaves out the nodes of machine code that no line of the source tells of, unless they are on the cycle.
func (d *drawing) inSource(hidden []bool) {
	old := d.order
	on := map[int]bool{}
	for _, c := range old.Cycle {
		on[c.From], on[c.To] = true, true
	}
	index, last := map[int]int{}, map[int]int{} // of the nodes that stay; by thread: 1 + the last one
	d.order = relation.HappensBefore{}
	for i, n := range old.Nodes {
		if !on[i] && n.Step >= 0 && n.Step < len(hidden) && hidden[n.Step] {
			continue
		}
		at := len(d.order.Nodes)
		if before := last[n.Thread]; before > 0 {
			d.order.Edges = append(d.order.Edges, verdict.TraceEdge{From: before - 1, To: at, Kind: "po"})
		}
		index[i], last[n.Thread] = at, at+1
		d.order.Nodes = append(d.order.Nodes, n)
	}
	move := func(list []verdict.TraceEdge, po bool) (out []verdict.TraceEdge) {
		for _, e := range list {
			from, isFrom := index[e.From]
			to, isTo := index[e.To]
			if isFrom && isTo && (po || e.Kind != "po") {
				out = append(out, verdict.TraceEdge{From: from, To: to, Kind: e.Kind})
			}
		}
		return out
	}
	d.order.Edges = append(d.order.Edges, move(old.Edges, false)...)
	d.order.Cycle = move(old.Cycle, true)
	d.unnamed = len(old.Nodes) - len(d.order.Nodes)
}

// only leaves out all nodes that are not kept, and with a cycle all edges that are not on it.
func (d *drawing) only(keep map[int]bool) {
	old := d.order
	index := map[int]int{}
	d.order = relation.HappensBefore{}
	for i, n := range old.Nodes { // in their order
		if keep[i] {
			index[i] = len(d.order.Nodes)
			d.order.Nodes = append(d.order.Nodes, n)
		}
	}
	for _, c := range old.Cycle {
		d.order.Cycle = append(d.order.Cycle, verdict.TraceEdge{From: index[c.From], To: index[c.To], Kind: c.Kind})
	}
	for _, e := range old.Edges {
		if len(old.Cycle) == 0 && keep[e.From] && keep[e.To] {
			d.order.Edges = append(d.order.Edges, verdict.TraceEdge{From: index[e.From], To: index[e.To], Kind: e.Kind})
		}
	}
	d.left = len(old.Nodes) - len(d.order.Nodes)
}

func (d *drawing) layout() {
	column := map[int]int{}
	depth := map[int]int{}
	n := len(d.order.Nodes)
	d.label, d.line, d.x, d.y = make([]string, n), make([]string, n), make([]int, n), make([]int, n)
	for t := range d.e.Witness.Threads {
		for _, node := range d.order.Nodes {
			if node.Thread == t {
				column[t] = len(d.columns)
				d.columns = append(d.columns, t)
				break
			}
		}
	}
	longest := 0
	for i, node := range d.order.Nodes {
		d.label[i], d.line[i] = d.words(node)
		if node.Step == d.delayed {
			d.line[i] = strings.TrimPrefix(d.line[i]+" · delayed", " · ")
		}
		longest = max(longest, utf8.RuneCountInString(d.label[i]), utf8.RuneCountInString(d.line[i])-1)
	}
	d.node = max(minNode, charWidth*longest+24)
	rows := 0
	for i, node := range d.order.Nodes {
		d.x[i] = side + d.node/2 + column[node.Thread]*(d.node+gap)
		d.y[i] = headHeight + nodeHeight/2 + 6 + depth[node.Thread]*rowHeight
		depth[node.Thread]++
		rows = max(rows, depth[node.Thread])
	}
	d.width = 2*side + len(d.columns)*d.node + max(0, len(d.columns)-1)*gap
	d.height = headHeight + 16 + max(0, rows-1)*rowHeight + nodeHeight
	if d.note() != "" {
		d.height += 24
	}
	d.width = max(d.width, 240)
}

// words returns the label of a node and its source line. A single access is shown with its
// effect; other nodes by their name, without the thread's, which
// heads the column.
func (d *drawing) words(n verdict.TraceNode) (label, line string) {
	w := d.e.Witness
	label = n.Text
	if n.Thread >= 0 && n.Thread < len(w.Threads) {
		label = strings.TrimPrefix(label, w.Threads[n.Thread]+" ")
	}
	if n.Step < 0 || n.Step >= len(w.Steps) {
		return cut(label, maxLabel), ""
	}
	s := w.Steps[n.Step]
	if s.Pos != nil && s.Pos.Line > 0 {
		_, at := s.Pos.SourceLine()
		line = fmt.Sprintf("line %d", at)
	}
	switch plain := label; {
	case plain == "st "+s.Cell() && s.Kind == verdict.StepStore:
		label = s.Cell() + " = " + s.ValueText()
		if s.Free {
			label = "free " + s.Cell()
		}
	case plain == "ld "+s.Cell() && s.Kind == verdict.StepLoad:
		label = s.Cell() + " → " + s.ValueText()
	case plain == "rmw "+s.Cell() && s.Kind == verdict.StepRMW && s.Wrote:
		label = fmt.Sprintf("%s: %s → %s", s.Cell(), s.ValueText(), s.WrittenText())
	}
	return cut(label, maxLabel), line
}

// caption heads a graph in a file.
func (d *drawing) caption() string {
	if d.e.Reason == "" {
		return d.e.Name
	}
	return d.e.Name + ": " + d.e.Reason
}

// description is the graph in words, for those who do not see it.
func (d *drawing) description() string {
	if len(d.order.Cycle) == 0 {
		return fmt.Sprintf("happens-before relation of %d accesses, without a cycle", len(d.order.Nodes))
	}
	var b strings.Builder
	b.WriteString("happens-before relation with a cycle: ")
	for i, c := range d.order.Cycle {
		if i == 0 {
			b.WriteString(d.order.Nodes[c.From].Text)
		}
		fmt.Fprintf(&b, " -%s-> %s", d.names.Of(c.Kind), d.order.Nodes[c.To].Text)
	}
	return b.String()
}

func (d *drawing) write(w io.Writer) {
	fmt.Fprintf(w, "<defs><marker id=\"%s-a\" class=\"ar\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerUnits=\"userSpaceOnUse\" markerWidth=\"10\" markerHeight=\"10\" orient=\"auto\"><path d=\"M0 1L10 5L0 9z\"/></marker>"+
		"<marker id=\"%s-c\" class=\"arc\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerUnits=\"userSpaceOnUse\" markerWidth=\"13\" markerHeight=\"13\" orient=\"auto\"><path d=\"M0 1L10 5L0 9z\"/></marker></defs>\n", d.prefix, d.prefix)
	for c, t := range d.columns {
		fmt.Fprintf(w, "<text class=\"th t%d\" x=\"%d\" y=\"20\">%s</text>\n", t%6, side+d.node/2+c*(d.node+gap), escape(cut(d.e.Witness.Threads[t], maxLabel)))
	}
	for _, e := range d.edges() {
		d.edge(w, e)
	}
	for i := range d.order.Nodes {
		d.oneNode(w, i)
	}
	if note := d.note(); note != "" {
		fmt.Fprintf(w, "<text class=\"no\" x=\"16\" y=\"%d\">%s</text>\n", d.height-10, note)
	}
}

// edges returns the arrows that are drawn, those of the cycle last: they are on top.
func (d *drawing) edges() []verdict.TraceEdge {
	var out []verdict.TraceEdge
	for _, e := range d.order.Edges {
		// What program order says already is not worth another arrow.
		from, to := d.order.Nodes[e.From], d.order.Nodes[e.To]
		implied := e.Kind != "po" && from.Thread == to.Thread && from.Step < to.Step
		if !d.cycle[e] && !implied {
			out = append(out, e)
		}
	}
	return append(out, d.order.Cycle...) // some of program order are not among the edges
}

// note says what the drawing leaves out, if it does.
func (d *drawing) note() string {
	switch {
	case len(d.order.Nodes) == 0:
		return "No thread accesses memory."
	case d.left > 0 && len(d.order.Cycle) == 0:
		return fmt.Sprintf("%d earlier accesses are left out.", d.left)
	case d.left > 0:
		return fmt.Sprintf("%d accesses that are not on the cycle are left out.", d.left)
	case d.unnamed == 1:
		return "1 access that the source does not name is left out."
	case d.unnamed > 0:
		return fmt.Sprintf("%d accesses that the source does not name are left out.", d.unnamed)
	}
	return ""
}

func (d *drawing) oneNode(w io.Writer, i int) {
	n := d.order.Nodes[i]
	class := "nd"
	if d.on[i] {
		class += " c"
	}
	if n.Step == d.delayed {
		class += " d"
	}
	fmt.Fprintf(w, "<g class=\"%s\" data-step=\"%d\"><title>%s</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"7\"/>",
		class, n.Step, escape(n.Text), d.x[i]-d.node/2, d.y[i]-nodeHeight/2, d.node, nodeHeight)
	if d.line[i] == "" {
		fmt.Fprintf(w, "<text x=\"%d\" y=\"%d\">%s</text></g>\n", d.x[i], d.y[i]+5, escape(d.label[i]))
		return
	}
	fmt.Fprintf(w, "<text x=\"%d\" y=\"%d\">%s</text><text class=\"ln\" x=\"%d\" y=\"%d\">%s</text></g>\n",
		d.x[i], d.y[i]-2, escape(d.label[i]), d.x[i], d.y[i]+13, escape(d.line[i]))
}

// curve is an arrow: a cubic curve, and where its label stands.
type curve struct{ x1, y1, c1x, c1y, c2x, c2y, x2, y2, lx, ly int }

// curve returns the arrow of an edge: straight down between neighbours in a column, in a curve
// beside the column past others, and in a curve across between columns.
func (d *drawing) curve(e verdict.TraceEdge) curve {
	x1, y1, x2, y2 := d.x[e.From], d.y[e.From], d.x[e.To], d.y[e.To]
	var c1x, c1y, c2x, c2y int
	at := 0.3
	switch {
	case x1 == x2 && y2-y1 == rowHeight && e.Kind == "po":
		y1, y2 = y1+nodeHeight/2, y2-nodeHeight/2
		c1x, c1y, c2x, c2y = x1, y1, x2, y2
		at = 0.45
	case x1 == x2:
		out := -1 // round on the side away from the other columns
		if 2*x1 > d.width {
			out = 1
		}
		x1, x2 = x1+out*d.node/2, x2+out*d.node/2
		c1x, c1y, c2x, c2y = x1+out*46, y1, x2+out*46, y2
		at = 0.5
	default:
		dir, shift := 1, -5
		if x2 < x1 {
			dir, shift = -1, 5
		}
		x1, x2, y1, y2 = x1+dir*d.node/2, x2-dir*d.node/2, y1+shift, y2+shift
		bend := (x2 - x1) / 2
		c1x, c1y, c2x, c2y = x1+bend, y1, x2-bend, y2
	}
	return curve{x1, y1, c1x, c1y, c2x, c2y, x2, y2, bezier(x1, c1x, c2x, x2, at), bezier(y1, c1y, c2y, y2, at)}
}

// edge draws an arrow.
func (d *drawing) edge(w io.Writer, e verdict.TraceEdge) {
	class, marker := "ed "+escape(e.Kind), d.prefix+"-a"
	if d.cycle[e] {
		class, marker = class+" c", d.prefix+"-c"
	}
	c := d.curve(e)
	fmt.Fprintf(w, "<g class=\"%s\"><path d=\"M%d %dC%d %d %d %d %d %d\" marker-end=\"url(#%s)\"/><text x=\"%d\" y=\"%d\">%s</text></g>\n",
		class, c.x1, c.y1, c.c1x, c.c1y, c.c2x, c.c2y, c.x2, c.y2, marker, c.lx, c.ly+4, escape(d.names.Of(e.Kind)))
}

// bezier is a coordinate of a cubic curve.
func bezier(a, b, c, d int, t float64) int {
	u := 1 - t
	return int(u*u*u*float64(a) + 3*u*u*t*float64(b) + 3*u*t*t*float64(c) + t*t*t*float64(d))
}
