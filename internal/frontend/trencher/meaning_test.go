package trencher_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/frontend/trencher"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

func TestMeaning(t *testing.T) {
	sb := func(between string) string {
		var b strings.Builder
		for i := range 2 {
			fmt.Fprintf(&b, "thread t%d\ninitial a\nfinal e\ntransition a b write 1 %d\n", i, i)
			fmt.Fprintf(&b, "%s\ntransition c d read r %d\ntransition d e check == r 0\nend\n", between, 1-i)
		}
		return b.String()
	}
	testkit.CheckMeanings(t, trencher.Parse, map[string]testkit.Meaning{
		"store buffering": {sb("transition b c noop"), "", "0"},
		"fenced":          {sb("transition b c mfence"), "", ""},
		"locked":          {sb("transition b b1 lock\ntransition b1 c unlock"), "", ""},
		"two final states": {"thread t\ninitial a\nfinal b\nfinal c\ntransition a c noop\nend\n" +
			"thread u\ninitial a\ntransition a b check 0\nend", "0", "0"},
		"addresses are values": {"thread t\ninitial a\nfinal e\ntransition a b write 7 -3\ntransition b c read r -3\n" +
			"transition c d write 9 r\ntransition d d1 read s 7\ntransition d1 e check == s 9\nend", "0", "0"},
		"far address": {"thread t\ninitial a\ntransition a b local r 2305843009213693952\ntransition b c read s r\nend", "bad-address", "bad-address"},
		"division":    {"thread t\ninitial a\nfinal b\ntransition a b check ! / 1 r\nend", "division-by-zero", "division-by-zero"},
		// While t stops with the memory locked, u cannot read.
		"held": {"thread t\ninitial a\nfinal b\ntransition a b lock\nend\nthread u\ninitial a\nfinal b\ntransition a b read r 0\nend", "0", "0"},
		"held for good": {"thread t\ninitial a\nfinal c\ntransition a b lock\ntransition b c write 1 0\nend\n" +
			"thread u\ninitial a\nfinal c\ntransition a b read r 0\ntransition b c check == r 1\nend", "", ""},
		"lock in lock":        {"thread t\ninitial a\nfinal c\ntransition a b lock\ntransition b c lock\nend", "", ""},
		"unlock without lock": {"thread t\ninitial a\nfinal b\ntransition a b unlock\nend", "", ""},
		"one way with the lock": {"thread t\ninitial a\nfinal c\ntransition a b lock\ntransition a b noop\ntransition b c unlock\nend\n" +
			"thread u\ninitial a\nfinal b\ntransition a b read r 0\nend", "0", "0"},
	})
}

// TestPublished: every published input translates.
func TestPublished(t *testing.T) {
	testkit.AllPublished(t, trencher.Parse, 44, "trencher/*.txt", "reach/*.txt", "mover/*.txt")
}

// TestReach reproduces the answers of the reachability benchmark of
// [BCDM15], with at most four entries in the buffer of a thread that stores in a
// cycle. Where the answer is no, the bound must not have been met.
func TestReach(t *testing.T) {
	dir := testkit.Shared(t, "bench", "reach")
	text, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	if len(rows) < 10 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		f := strings.Split(row, "\t")
		t.Run(f[0], func(t *testing.T) {
			u := testkit.Published(t, filepath.Join(dir, f[0]), trencher.Parse)
			testkit.CompareReached(t, u, memory.SC, f[3] == "reachable")
			testkit.CompareReached(t, u, memory.TSO, f[4] == "reachable")
		})
	}
}
