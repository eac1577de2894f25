package search

import "math/bits"

// hash returns a 64-bit hash of a state. It is the same in every process, and so is the order of a
// search with one worker. It is the multiply-and-fold scheme of wyhash: 16 bytes a round, the tail
// padded, with the length mixed in.
func hash(b []byte) uint64 {
	const (
		k0 = 0xa0761d6478bd642f
		k1 = 0xe7037ed1a0b428db
		k2 = 0x8ebc6af09c88c6e3
	)
	h := uint64(len(b)) * k2
	for len(b) >= 16 {
		h = fold(word(b)^k0, word(b[8:])^k1^h)
		b = b[16:]
	}
	var x, y uint64
	if len(b) >= 8 {
		x = word(b)
		b = b[8:]
	}
	for i := len(b) - 1; i >= 0; i-- {
		y = y<<8 | uint64(b[i])
	}
	return fold(fold(x^k1, y^k0^h)^k2, h^k1)
}

func word(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}
