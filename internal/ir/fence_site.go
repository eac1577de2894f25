package ir

import (
	"fmt"

	"fencepost/internal/source"
)

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
	// Instructions are, of machine code, the positions of the instructions that the fence comes before: all that the compiler
	// made of one position in the source. Pos is the first one.
	Instructions []source.Span
	// ReadOnly says that the text must not be changed: an included file, or the inside of a
	// macro. A fence there would help but is not written.
	ReadOnly bool
	// Expansions is, of a site in the definition of a macro, how often the program expands the macro: a fence there is a fence
	// in each. 0: the site is not in a macro.
	Expansions int
	// Access is set for a site that is an atomic access or a fence of the program, whose memory order can be another one. Its
	// edges make the access, and Pos is the text that says the order, or the whole access if it says none.
	Access *OrderedAccess
}

// AccessKind is a kind of access with a memory order. The zero value is unset.
type AccessKind uint8

// The kinds. A compare-exchange is an update, with a failure beside it.
const (
	AccessUnset AccessKind = iota
	LoadAccess
	StoreAccess
	UpdateAccess
	FailureAccess
	FenceAccess
)

var accessNames = [...]string{"unset", "load", "store", "update", "failure", "fence"}

func (k AccessKind) String() string {
	if int(k) >= len(accessNames) {
		panic(fmt.Sprintf("BUG: unknown access kind %d", k))
	}
	return accessNames[k]
}

// OrderedAccess is an access with a memory order.
type OrderedAccess struct {
	Kind    AccessKind
	Written Order
}

// Orders returns the orders that an access can have, the weakest first. A fence that is relaxed is none.
func (k AccessKind) Orders() []Order {
	switch k {
	case LoadAccess, FailureAccess:
		return []Order{Relaxed, Acquire, SeqCst}
	case StoreAccess:
		return []Order{Relaxed, Release, SeqCst}
	case UpdateAccess, FenceAccess:
		return []Order{Relaxed, Acquire, Release, AcqRel, SeqCst}
	default:
		panic(fmt.Sprintf("BUG: unknown access kind %d", k))
	}
}

// AtMost reports whether an order is at most as strong as another. Acquire and release are not comparable.
func (o Order) AtMost(than Order) bool {
	if o == Consume {
		o = Acquire
	}
	if than == Consume {
		than = Acquire
	}
	switch {
	case o == than || than == SeqCst:
		return true
	case o == OrderUnset || o == Plain || o == Relaxed:
		return o <= than
	}
	return than == AcqRel && o != SeqCst
}

// Join returns the weakest order that is at least as strong as two others.
func (o Order) Join(with Order) Order {
	switch {
	case o.AtMost(with):
		return with
	case with.AtMost(o):
		return o
	}
	return AcqRel
}

// FenceAt is a fence at a site, or an access with an order.
type FenceAt struct {
	Site SiteID
	Kind FenceKind
	// Order is set under c11: the order of the fence, or of the access at the site, which has no kind then.
	Order Order
}
