package explicit

// InternFrom sets from what length on states are stored in parts, makes the pieces of blocks as small as can be, and
// returns a function that undoes it.
func InternFrom(n int) func() {
	old, shift := internFrom, pieceShift
	internFrom, pieceShift = n, 3
	return func() { internFrom, pieceShift = old, shift }
}
