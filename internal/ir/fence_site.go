package ir

import "fencepost/internal/source"

// SiteID is a fence site, an index into the list of a program's sites.
type SiteID int32

// FenceSite is a position in the source text where a fence can be written. A front end that is
// asked for sites puts a Nop edge at each; a fence at the site replaces that edge. Copies of the
// text by inlining, unrolling or templates are one site.
type FenceSite struct {
	Pos   source.Span // where the fence would be written, an empty span
	Edges []EdgeID    // the Nop edges, of the structured program
	// Before is the text that the fence would come before, on one line.
	Before string
	// ReadOnly says that the text must not be changed: an included file, or the inside of a
	// macro. A fence there would help but is not written.
	ReadOnly bool
	// Expansions is, of a site in the definition of a macro, how often the program expands the macro: a fence there is a fence
	// in each. 0: the site is not in a macro.
	Expansions int
}

// FenceAt is a fence at a site.
type FenceAt struct {
	Site SiteID
	Kind FenceKind
}
