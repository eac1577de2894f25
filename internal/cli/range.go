package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// maxRange is how many values a range may have: all are tried.
const maxRange = 1 << 16

// rangeValue is a range of whole numbers, lo..hi.
type rangeValue struct{ to *[]int64 }

func (v rangeValue) String() string {
	if v.to == nil || len(*v.to) != 2 {
		return ""
	}
	return fmt.Sprintf("%d..%d", (*v.to)[0], (*v.to)[1])
}

func (rangeValue) Type() string { return "lo..hi" }

func (v rangeValue) Set(s string) error {
	from, to, ok := strings.Cut(s, "..")
	lo, err1 := strconv.ParseInt(from, 0, 32)
	hi, err2 := strconv.ParseInt(to, 0, 32)
	if !ok || err1 != nil || err2 != nil || lo > hi || hi-lo >= maxRange {
		return fmt.Errorf("want two whole numbers such as -1..4, with at most %d values between them", maxRange)
	}
	*v.to = []int64{lo, hi}
	return nil
}
