//go:build fencepost_small

package replay

func (c *turn) runApart() { panic("BUG: blocks of one thread in the small part") }
