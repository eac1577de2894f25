package rows

import "slices"

// Rows that are kept around each key row, at the beginning and at the end if there are too
// many rows.
const (
	around    = 4
	shareHead = 4 // a quarter of the rows is kept at the beginning
)

// cutRows leaves rows out if there are more than limit. Key rows stay with their neighbours,
// and so do the first and the last rows, as far as there is room.
func cutRows(list []Row, limit int) []Row {
	if len(list) <= limit {
		return list
	}
	keep := make([]bool, len(list))
	left := limit
	mark := func(i int) {
		if i >= 0 && i < len(list) && !keep[i] && left > 0 {
			keep[i] = true
			left--
		}
	}
	for i := range list {
		if list[i].Key || list[i].Fails {
			mark(i)
		}
	}
	for d := 1; d <= around; d++ {
		for i := range list {
			if (list[i].Key || list[i].Fails) && left > limit/2 {
				mark(i - d)
				mark(i + d)
			}
		}
	}
	left -= max(0, min(left, runsOf(keep)+2)) // a row for each gap
	for i := 0; i < limit/shareHead; i++ {
		mark(i)
	}
	for i := len(list) - 1; i >= 0 && left > 0; i-- {
		mark(i)
	}
	return cutUnmarked(list, keep)
}

// runsOf counts the runs of true.
func runsOf(keep []bool) int {
	n := 0
	for i := range keep {
		if keep[i] && (i == 0 || !keep[i-1]) {
			n++
		}
	}
	return n
}

func cutUnmarked(list []Row, keep []bool) []Row {
	var out []Row
	for i := 0; i < len(list); {
		if keep[i] {
			out = append(out, list[i])
			i++
			continue
		}
		end := i
		for end < len(list) && !keep[end] {
			end++
		}
		f := foldOf(Cut, slices.Clone(list[i:end]), counted(end-i, "row", "rows")+" left out")
		f.Thread = -1
		out = append(out, f)
		i = end
	}
	return out
}
