package robust

// The order of the search. The shortest execution of an attack comes first if states are expanded by
// their distance from the initial one. But where a loop counts, every round of the loop begins an attack of its own
// before the first one has come to its load, and the states of all of them are visited. Engine
// lazy wants an attack of each kind as soon as possible, and its length matters less. So AttacksFirst
// expands attacks that have begun before everything else, attacks in phase closing first, and
// ends when all attacks that the filters have left are found. The states of a search that finds
// nothing are the same in both orders.
//
// The engine itself begins by distance, and goes over to this order where it has many states: there the shortest
// execution costs more than it is worth.

// byDistance is how many states are found in the order of their distance.
const byDistance = 20_000

// rank returns the rank of a state in this order, lowest first.
func rank(a *attack) int {
	switch a.phase {
	case closing:
		return 0
	case delaying:
		return 1
	default:
		return 2
	}
}

// allFound reports whether all attacks were found in levels of the search before this depth.
func (pl *plan) allFound(depth int) bool {
	for t := range pl.threads {
		tp := &pl.threads[t]
		for row := range tp.allow {
			for col, allowed := range tp.allow[row] {
				if f := tp.found[row][col].Load(); allowed && (f == 0 || f > int32(depth)) {
					return false
				}
			}
		}
	}
	return true
}
