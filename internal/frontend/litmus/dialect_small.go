//go:build fencepost_small

package litmus

import "fencepost/internal/ir"

// A build without the translation of C, for the playground (docs/adr/0023): a test in C is refused with NeedsWhole. The
// types stand for those of the translation; nothing has a value of theirs.

// COptions say how C is read.
type COptions struct{}

// FenceStyle is how a fence is written in C.
type FenceStyle uint8

type variable struct{}

func (c *compiler) compileC() {
	c.diags.Errorf(NeedsWhole, c.file.Span(0, 0), "this part of fencepost does not read C")
}

func (c *compiler) observeLocal(*ref) *observed { panic("BUG: a test in C") }

func (n *native) inC() { panic("BUG: a test in C") }

func (n *native) kept(int, ir.Reg) int { panic("BUG: a test in C") }

// FenceStyle is how a fence is written into the test, where one style was asked for.
func (u *Unit) FenceStyle(asked FenceStyle) FenceStyle { return asked }
