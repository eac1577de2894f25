package irtext

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
)

// Dot returns a drawing of a program for Graphviz: a cluster per function (in flat form, per
// function that runs), a node per location, an edge per edge. Entries are bold, end locations
// have two rings.
func Dot(p *ir.Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", dotQuote(p.Name))
	fmt.Fprintf(&b, "  node [shape=ellipse];\n")
	for i, f := range p.Funcs {
		title := f.Name
		if p.Form == ir.Flat {
			var names []string
			for t := range p.Threads {
				if p.Threads[t].Func == ir.FuncID(i) {
					names = append(names, p.Threads[t].Name)
				}
			}
			if len(names) == 0 {
				continue
			}
			title = strings.Join(names, ", ")
		}
		dotFunc(&b, p, i, title)
	}
	b.WriteString("}\n")
	return b.String()
}

func dotFunc(b *strings.Builder, p *ir.Program, i int, title string) {
	f := p.Funcs[i]
	fmt.Fprintf(b, "  subgraph cluster_%d {\n", i)
	fmt.Fprintf(b, "    label=%s;\n", dotQuote(title))
	for l := range f.Locs {
		attrs := ""
		if ir.Loc(l) == f.Entry {
			attrs += ", style=bold"
		}
		if f.Ends(ir.Loc(l)) {
			attrs += ", peripheries=2"
		}
		fmt.Fprintf(b, "    f%d_%d [label=%s%s];\n", i, l, dotQuote(f.Locs[l].Name), attrs)
	}
	for j := range f.Edges {
		e := &f.Edges[j]
		fmt.Fprintf(b, "    f%d_%d -> f%d_%d [label=%s];\n", i, e.From, i, e.To, dotQuote(FormatOp(p, f, &e.Op)))
	}
	b.WriteString("  }\n")
}

// dotQuote returns a string of the DOT language that shows s unchanged. Backslashes are doubled
// because DOT labels have escapes of their own.
func dotQuote(s string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "", "\x00", "")
	return `"` + r.Replace(s) + `"`
}
