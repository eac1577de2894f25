package verdict

import (
	"fmt"
	"strconv"
)

// Cell returns the name of the cell that the step accesses, or its address.
func (s Step) Cell() string {
	if s.Location != "" {
		return s.Location
	}
	return fmt.Sprintf("[0x%x]", s.Addr)
}

// ValueText returns Value as people write it: what it points to, or a number.
func (s Step) ValueText() string { return wordText(s.Value, s.Points, s.Number) }

// WrittenText returns Written as people write it.
func (s Step) WrittenText() string { return wordText(s.Written, s.WrittenPoints, s.WrittenNumber) }

func wordText(v int64, points, number string) string {
	switch {
	case points != "":
		return points
	case number != "":
		return number
	}
	return strconv.FormatInt(v, 10)
}

// EntryText returns the buffer entry that a store makes, such as x=1.
func (s Step) EntryText() string {
	if s.Free {
		return "free " + s.Cell()
	}
	return fmt.Sprintf("%s=%s", s.Cell(), s.ValueText())
}
