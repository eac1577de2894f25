package cli

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/verdict"
)

// The exit codes.
const (
	exitHolds    = 0
	exitViolated = 1
	exitUnknown  = 2
	exitUsage    = 3
	exitInternal = 4
)

// exitTable is the table of exit codes. If a run has several results, the code that comes first here wins.
var exitTable = []struct {
	code int
	when string
}{
	{exitInternal, "internal error"},
	{exitUsage, "bad input or usage"},
	{exitViolated, "violated"},
	{exitUnknown, "unknown"},
	{exitHolds, "holds"},
}

// exitLine lists the codes for the help, the smallest first.
func exitLine() string {
	var parts []string
	for _, e := range slices.Backward(exitTable) {
		parts = append(parts, fmt.Sprintf("%d %s", e.code, e.when))
	}
	slices.Sort(parts)
	return "Exit codes: " + strings.Join(parts, ", ") + "."
}

// exitOf returns the code of a result. A proof that leaves a check of the program open has not proved what was
// asked.
func exitOf(r *verdict.Result) int {
	if r.Verdict == verdict.Unknown && r.Shard != nil && r.Shard.Complete {
		return exitHolds // in this shard; the merged answer counts
	}
	switch r.Verdict {
	case verdict.Unsafe, verdict.NotObserved:
		return exitViolated
	case verdict.Safe, verdict.Observed, verdict.ValueRobust, verdict.Abstracted:
		if r.Proof != nil && r.Proof.Open() > 0 {
			return exitUnknown
		}
		return exitHolds
	default:
		return exitUnknown
	}
}

// worst returns the code of several: the first in the order of exitTable.
func worst(codes ...int) int {
	for _, e := range exitTable {
		if slices.Contains(codes, e.code) {
			return e.code
		}
	}
	return exitInternal
}

// counted is a number of tests that end with a code.
type counted struct{ n, code int }

// exitOfAll returns the code of many tests: the worst code that occurs.
func exitOfAll(all ...counted) int {
	codes := []int{exitHolds}
	for _, c := range all {
		if c.n > 0 {
			codes = append(codes, c.code)
		}
	}
	return worst(codes...)
}
