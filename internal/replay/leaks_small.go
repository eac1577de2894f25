//go:build fencepost_small

package replay

import "fencepost/internal/property"

func (m *machine) lost(*state) []property.Block { panic("BUG: memory leaks in the small part") }
