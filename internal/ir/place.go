package ir

import "fencepost/internal/source"

// PlaceID is a place, an index into the list of a program's places.
type PlaceID int32

// Place is where a fence can be written into the source text. A front end that is
// asked for places puts a Nop edge at each; a fence there is a Fence in its stead.
// Copies of the text by inlining, unrolling or templates are one place.
type Place struct {
	Pos   source.Span // of the fence to be, an empty span
	Edges []EdgeID    // the Nop edges, of the structured program
	// Before is the text the fence would stand in front of, on one line.
	Before string
	// ReadOnly places lie in text that is not to be changed, an included file or the inside of
	// a macro: a fence there would help, but is not written.
	ReadOnly bool
}

// FenceAt is a fence at a place.
type FenceAt struct {
	Place PlaceID
	Kind  FenceKind
}
