package replay_test

import (
	"strings"
	"testing"

	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// guesses reports whether a program has an address as a number.
func guesses(text string) bool { return strings.Contains(text, " = 35185445") }

// Which blocks one thread alone can reach is found by an analysis; here it is looked up in all states of random programs, by
// the rules for all programs. A thread that computes an address from a number has it by chance, and not from the block.
func TestPrivateBlocksAreNotReached(t *testing.T) {
	tested, kept, others := 0, 0, 0
	for seed := range uint64(150) {
		p, text := testkit.Automatic(seed)
		if guesses(text) {
			continue
		}
		for _, model := range []replay.Model{replay.SC, replay.TSO, replay.PSO} {
			where, n, over, err := replay.Escapes(p, model, 1000, false)
			if err != nil {
				t.Fatal(err)
			}
			if over {
				break
			}
			if where != "" {
				t.Fatalf("seed %d under %s: %s, in a block that one thread alone is to reach\n%s", seed, model, where, text)
			}
			tested++
			if n > 0 {
				kept++
			}
			if where, _, _, err := replay.Escapes(p, model, 1000, true); err == nil && where != "" {
				others++
			}
		}
	}
	t.Logf("%d programs under a model, %d of them with blocks that one thread alone can reach, %d with others", tested, kept, others)
	if tested < 200 || kept < 100 || others < 20 {
		t.Error("the programs do not test much")
	}
}
