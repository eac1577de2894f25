package reduce

import "fencepost/internal/ir"

// Eager reports whether a thread runs through a location.
func (p *Plan) Eager(t int, l ir.Loc) bool { return p.locs[t][l].eager }

// OpenAt reports whether the steps from a location are interleaved with everything.
func (p *Plan) OpenAt(t int, l ir.Loc) bool { return p.locs[t][l].open }
