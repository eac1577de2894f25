package explicit

// InternFrom sets from what length on states are stored in parts, makes the pieces of blocks as small as can be, and
// returns a function that undoes it.
func InternFrom(n int) func() { return InternPieces(n, 3) }

// InternPieces is InternFrom for pieces of 1<<shift bytes or more.
func InternPieces(n, shift int) func() {
	old, oldShift := internFrom, pieceShift
	internFrom, pieceShift = n, shift
	return func() { internFrom, pieceShift = old, oldShift }
}
