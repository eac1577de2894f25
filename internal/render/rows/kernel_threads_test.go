package rows

import (
	"slices"
	"testing"

	"fencepost/verdict"
)

// TestHeaderThreads: threads that begin in a header have the names of what they run, others their own.
func TestHeaderThreads(t *testing.T) {
	header, program := &verdict.Pos{File: "<fencepost>/fencepost/linux_wait.h", Line: 44}, &verdict.Pos{File: "a.c", Line: 1}
	w := &verdict.Witness{Threads: []string{"main", "kthread", "kthread#2", "worker", "kthread#3"}}
	step := func(thread int, at *verdict.Pos, stack ...string) {
		w.Steps = append(w.Steps, verdict.Step{Kind: verdict.StepStore, Thread: thread, Instruction: verdict.Instruction{Pos: at, Stack: stack}})
	}
	step(0, header, "main", "__fp_kthread_run")
	step(1, header, "kthread")
	step(1, program, "kthread", "reader")
	step(2, header, "kthread")
	step(2, program, "kthread", "reader", "inner")
	step(3, program, "worker", "lock")
	step(3, header, "worker", "lock", "smp_mb")
	step(4, header, "kthread")
	if got, want := headerThreads(w), []string{"", "reader#1", "reader#2", "", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := headerThreads(&verdict.Witness{Threads: []string{"main"}}); got != nil {
		t.Errorf("got %q", got)
	}
}
