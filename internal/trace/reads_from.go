package trace

import (
	"crypto/sha256"
	"fmt"
	"sort"
	"strings"

	"fencepost/verdict"
)

// ReadsFrom returns a text that is equal for two executions of one program exactly if every byte that
// was read comes from the same event in both, every choice is the same, and every thread ended in the
// same way. docs/engines/rf.md defines it. fails has the failed checks in words.
func (t *Trace) ReadsFrom(w *verdict.Witness, fails []string) string {
	name := make([]string, len(t.Events)) // thread, and index of the event in it
	count := make([]int, len(w.Threads))
	for i, e := range t.Events {
		name[i] = fmt.Sprintf("%d.%d", e.Thread, count[e.Thread])
		count[e.Thread]++
	}
	var lines []string
	for _, r := range t.reads {
		// Which signal wakes which thread is among the choices. Whether a load reads that its block is there
		// depends on whether its value is forwarded. An exchange whose result is not used is a store.
		if r.condition || r.unused || r.lifetime && !r.reuse {
			continue
		}
		from := "-"
		if r.from >= 0 {
			from = name[r.from]
		}
		addr := r.addr
		if r.lifetime {
			addr &^= lifetime
		}
		lines = append(lines, fmt.Sprintf("read %s %d %s", name[r.event], addr, from))
	}
	for _, s := range t.starts {
		lines = append(lines, fmt.Sprintf("starts %s %d", name[s.event], s.thread))
	}
	steps := make([]strings.Builder, len(w.Threads))
	for i := range w.Steps {
		if st := &w.Steps[i]; st.Edge >= 0 {
			fmt.Fprintf(&steps[st.Thread], " %d", st.Edge)
			if st.Choice != 0 {
				fmt.Fprintf(&steps[st.Thread], "/%d", st.Choice)
			}
		}
	}
	for thread := range steps {
		lines = append(lines, fmt.Sprintf("thread %d%s", thread, steps[thread].String()))
	}
	for _, f := range fails {
		lines = append(lines, "fails "+f)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n") + "\n"
}

// Fingerprint is a sum of hashes of texts, modulo 2^128. It does not depend on their order.
type Fingerprint struct{ hi, lo uint64 }

// Add adds the hash of a text.
func (f *Fingerprint) Add(hash [16]byte) {
	var hi, lo uint64
	for _, b := range hash[:8] {
		hi = hi<<8 | uint64(b)
	}
	for _, b := range hash[8:] {
		lo = lo<<8 | uint64(b)
	}
	old := f.lo
	f.lo += lo
	f.hi += hi
	if f.lo < old {
		f.hi++
	}
}

func (f Fingerprint) String() string { return fmt.Sprintf("%016x%016x", f.hi, f.lo) }

// Hash returns the hash of a text: the first 16 bytes of its SHA-256.
func Hash(text string) [16]byte {
	sum := sha256.Sum256([]byte(text))
	return [16]byte(sum[:16])
}
