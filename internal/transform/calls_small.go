//go:build fencepost_small

package transform

import "fencepost/internal/ir"

// Calls says which calls are inlined of a program that would be too large with all of them. What the small part reads is
// never too large.
type Calls struct{ partial bool }

// Partial reports whether calls are left out.
func (c *Calls) Partial() bool { return false }

func (c *Calls) plan(*flattener) error { return nil }

func (c *Calls) leaveOut(*flattener) {}

func (b *body) leavesOut(*activation, *ir.Edge, ir.FuncID, ir.Loc) (path string, left bool) {
	return "", false
}
