package explicit

// InternFrom sets from what length on states are stored in parts, and returns a
// function that undoes it.
func InternFrom(n int) func() {
	old := internFrom
	internFrom = n
	return func() { internFrom = old }
}
