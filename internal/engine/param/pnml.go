package param

import (
	"encoding/xml"
	"fmt"
	"io"
)

// WritePNML writes a net as a place/transition net of PNML (ISO/IEC 15909-2), for other tools. PNML
// has no markings with any number of tokens: a place with such a marking gets a transition that
// adds one. The question whether a place can be marked is in the name of the net.
func WritePNML(w io.Writer, n *Net, bad int, name string) error {
	e := &pnml{w: w}
	e.printf("%s<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n", xml.Header)
	e.printf("  <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n")
	e.name(4, fmt.Sprintf("%s: can place p%d be marked?", name, bad))
	e.printf("    <page id=\"page\">\n")
	for i, p := range n.Places {
		e.printf("      <place id=\"p%d\">\n", i)
		e.name(8, p.Name)
		if p.Init > 0 {
			e.printf("        <initialMarking><text>%d</text></initialMarking>\n", p.Init)
		}
		e.printf("      </place>\n")
	}
	for i := range n.Trans {
		e.trans(fmt.Sprintf("t%d", i), &n.Trans[i])
	}
	for i, p := range n.Places {
		if p.Init == Omega {
			e.trans(fmt.Sprintf("s%d", i), &Trans{Name: "one more " + p.Name, Post: []Arc{{int32(i), 1}}})
		}
	}
	e.printf("    </page>\n  </net>\n</pnml>\n")
	return e.err
}

type pnml struct {
	w   io.Writer
	arc int
	err error
}

func (e *pnml) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

func (e *pnml) name(indent int, text string) {
	e.printf("%*s<name><text>", indent, "")
	if e.err == nil {
		e.err = xml.EscapeText(e.w, []byte(text))
	}
	e.printf("</text></name>\n")
}

func (e *pnml) trans(id string, t *Trans) {
	e.printf("      <transition id=\"%s\">\n", id)
	e.name(8, t.Name)
	e.printf("      </transition>\n")
	link := func(from, to string, n int32) {
		e.printf("      <arc id=\"a%d\" source=\"%s\" target=\"%s\"><inscription><text>%d</text></inscription></arc>\n", e.arc, from, to, n)
		e.arc++
	}
	for _, a := range t.Pre {
		link(fmt.Sprintf("p%d", a.Place), id, a.N)
	}
	for _, a := range t.Post {
		link(id, fmt.Sprintf("p%d", a.Place), a.N)
	}
}
