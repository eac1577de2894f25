package smc

// checker watches an exploration for what must never happen: a trace explored
// twice, an execution cut off by a sleep set.
type checker struct {
	seen       map[string]bool
	complete   map[string]bool
	duplicates []string
	sleeping   int
	done       func(x *explorer)
}

func (c *checker) ordered(x *explorer, i int32) {}

func (c *checker) asleep(x *explorer) { c.sleeping++ }

func (c *checker) ended(x *explorer) { c.done(x) }
