package sequential

// The sites of a sequential program: every call that chooses something has a number.

import (
	"fmt"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

// SiteKind says what is chosen at a site.
type SiteKind uint8

// The kinds of sites, with what the value is.
const (
	SiteUnset SiteKind = iota
	SiteStop           // the round in which the thread goes on
	SiteClock          // the time of the clock
	SiteTime           // the time at which a store or a free reaches memory
	SiteWay            // the number of the edge
	SiteValue          // a value that is picked
	SiteBlock          // 0, or the number of a block that is used again, from 1
	SiteHalt           // 1: the thread stops for ever inside an atomic section
	SiteWake           // 0, or the number of the thread that a signal wakes, from 1
)

func (k SiteKind) String() string {
	switch k {
	case SiteStop:
		return "the round in which the thread goes on"
	case SiteClock:
		return "the time"
	case SiteTime:
		return "the time at which it reaches memory"
	case SiteWay:
		return "which way"
	case SiteValue:
		return "the value that is picked"
	case SiteBlock:
		return "0, or the block that is used again"
	case SiteHalt:
		return "1 if the thread stays here for ever"
	case SiteWake:
		return "0, or 1 more than the thread that wakes"
	default:
		panic(fmt.Sprintf("BUG: unknown kind of site %d", k))
	}
}

// Site is a point of a sequential program at which something is chosen.
type Site struct {
	Thread ir.ThreadID
	Loc    ir.Loc
	Edge   int  // among the edges of the location, or -1: of the location itself
	Wait   bool // in the second step of an operation that waits
	Kind   SiteKind
}

// site returns the number of a site for the edge that is written.
func (t *sequentialThread) site(kind SiteKind) int {
	at := Site{Thread: t.id, Loc: t.loc, Edge: t.index, Wait: t.waits, Kind: kind}
	switch kind {
	case SiteStop, SiteClock, SiteWay, SiteHalt:
		at.Edge = -1
		if t.waits {
			at.Edge = t.index
		}
	}
	n, ok := t.w.numbers[at]
	if !ok {
		n = len(t.w.sites)
		t.w.sites, t.w.numbers[at] = append(t.w.sites, at), n
	}
	return n
}

// listSites writes what the numbers of sites stand for.
func (w *sequential) listSites(out *strings.Builder) {
	if len(w.sites) == 0 {
		return
	}
	out.WriteString("/* Sites of choices:\n")
	for i, s := range w.sites {
		t := w.threads[s.Thread]
		where := t.f.Locs[s.Loc].Name
		if edges := t.f.Out(s.Loc); len(edges) > 0 {
			e := &t.f.Edges[edges[max(0, s.Edge)]]
			where = fmt.Sprintf("%s, %s", where, irtext.FormatOp(w.Program, t.f, &e.Op))
			if e.Pos.IsValid() {
				where = fmt.Sprintf("%s:%d:%d, %s", e.Pos.File, e.Pos.Line, e.Pos.Col, where)
			}
		}
		fmt.Fprintf(out, "   %d  %s at %s: %s\n", i, export.Comment(w.Program.Threads[s.Thread].Name), export.Comment(strings.ReplaceAll(where, "\n", " ")), s.Kind)
	}
	out.WriteString(" */\n")
}
