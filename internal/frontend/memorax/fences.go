package memorax

import (
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
)

// markSites notes the fence sites of a program in Memorax's language.
func (c *compiler) markSites() {
	if !c.Opt.Sites {
		return
	}
	c.Marks = statement.NewMarks(c.File)
	c.Marks.Semi, c.Marks.Names[ir.StoreStoreFence] = false, "ssfence"
	for _, pr := range c.p.processes {
		c.Marks.Block(pr.body, true)
	}
}
