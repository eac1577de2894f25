package search

// gap is memory that lies between the data of two workers. The data of a worker are small objects, made one worker after
// the other, and the allocator puts objects of one size next to each other. Where the last of one worker and the first of
// the next one are in one cache line, each write by one of them takes the line from the other: on lamport(6) that made the
// steps of two workers take twice the time.
type gap struct {
	bytes    [][]byte
	pointers [][]*byte
}

// newGap allocates more than two cache lines of objects of each small size, with pointers and without. The gap is kept as
// long as the workers are: nothing else may be put there.
func newGap() *gap {
	g := &gap{}
	for size := 8; size <= 512; size += 8 {
		for range 256/size + 1 {
			g.bytes = append(g.bytes, make([]byte, size))
			g.pointers = append(g.pointers, make([]*byte, size/8))
		}
	}
	return g
}
