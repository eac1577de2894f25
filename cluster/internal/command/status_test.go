package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"fencepost/cluster/internal/store"
)

// TestLastSeen: status says when the server last heard of each worker, by the server's clock, and which are silent.
func TestLastSeen(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	workers := seenAt([]store.Worker{
		{ID: "here", Seen: now.Add(-3 * time.Second)},
		{ID: "gone", Seen: now.Add(-store.Silence - time.Minute), Trouble: "the disk is full"},
		{ID: "early", Seen: now.Add(time.Second)},
	}, now)
	var out bytes.Buffer
	(&tool{stdout: &out}).printStatus(nil, workers)
	for _, want := range []string{"LAST SEEN", "3 s ago", "80 s ago, silent", "0 s ago", "gone: the disk is full"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the list does not have %q:\n%s", want, &out)
		}
	}
	if strings.Count(out.String(), "silent") != 1 {
		t.Errorf("one worker is silent:\n%s", &out)
	}
}
