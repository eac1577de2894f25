package worker_test

import (
	"testing"
	"time"

	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/store/storetest"
	"fencepost/cluster/internal/synthetic"
)

// BenchmarkTasks measures how many tasks a server takes per second: the tasks of the tree take no time to explore.
func BenchmarkTasks(b *testing.B) {
	s := storetest.Start(b)
	tasks := 0
	for b.Loop() {
		job := submit(b, s, &synthetic.Tree{Seed: 11, Depth: 11}, time.Second)
		if ended := work(b, s, job, 4, nil); ended.State != store.Complete {
			b.Fatalf("%s %s", ended.State, ended.Reason)
		}
		tree, err := s.Tree(b.Context(), job)
		if err != nil {
			b.Fatal(err)
		}
		known, _ := tree.Tasks()
		tasks += known
	}
	b.ReportMetric(float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
}
