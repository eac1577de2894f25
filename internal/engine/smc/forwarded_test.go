package smc_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

// TestForwardedBytes: as many executions as there are traces, for programs that need one rule for
// forwarded bytes each (docs/engines/smc.md). Without the rule, or with the rule for whole loads,
// the exploration misses traces or explores some twice.
func TestForwardedBytes(t *testing.T) {
	for _, c := range []struct {
		rule    string
		threads [][]string
	}{
		{"the reversed event forwards one byte and reads another after its update", [][]string{
			{"store.u16 [&w+1] = 257", "store.u8 [&w+1] = 1", "store.u8 [&w+0] = 1", "r = load.u32 [&w]"},
			{"store.u16 [&w+0] = 257", "store.u8 [&w+3] = 1", "store.u8 [&w+0] = 1"},
			{"store.u8 [&w+2] = 1"},
		}},
		{"a load of v forwards a byte whose update comes first", [][]string{
			{"store.u8 [&w+1] = 1", "store.u8 [&w+1] = 1", "r = load.u16 [&w+1]"},
			{"store.u8 [&w+2] = 1", "r = load.u32 [&w]"},
			{"store.u8 [&w+2] = 1", "store.u8 [&w+3] = 1", "r = load.u32 [&w]"},
		}},
		{"a load of v forwards two bytes, and the update of one comes first", [][]string{
			{"store.u8 [&w+3] = 1", "store.u8 [&w+2] = 1", "r = load.u32 [&w]"},
			{"store.u8 [&w+1] = 1", "r = load.u32 [&w]", "r = load.u32 [&w]"},
			{"store.u8 [&w+2] = 1"},
		}},
		{"the reversed event forwards a byte whose update comes first", [][]string{
			{"store.u8 [&w+0] = 1", "store.u8 [&w+3] = 1", "store.u16 [&w+0] = 257", "r = load.u32 [&w]"},
			{"store.u16 [&w+1] = 257", "r = load.u32 [&w]"},
			{"store.u8 [&w+3] = 1", "store.u8 [&w+0] = 1"},
		}},
		{"the reversed event forwards two bytes, and the update of one comes first", [][]string{
			{"store.u16 [&w+2] = 257", "store.u8 [&w+1] = 1", "r = load.u16 [&w+2]"},
			{"store.u8 [&w+3] = 1", "store.u8 [&w+1] = 1", "r = load.u32 [&w]"},
			{"store.u8 [&w+2] = 1", "store.u8 [&w+1] = 1"},
		}},
	} {
		text, threads := "program bytes flat\nobject w size 4\n", ""
		for i, ops := range c.threads {
			text += fmt.Sprintf("func t%d() {\n  reg r\n", i)
			for k, op := range ops {
				text += fmt.Sprintf("  L%d -> L%d: %s\n", k, k+1, op)
			}
			text += "}\n"
			threads += fmt.Sprintf("thread t%d = t%d()\n", i, i)
		}
		p, diags := irtext.Parse("bytes.ir", []byte(text+threads))
		if diags.HasErrors() {
			t.Fatal(diags.All, text)
		}
		for _, m := range testkit.Models {
			want, ok := testkit.NewTracker(memory.New(p, m, memory.Options{})).Traces(1 << 20)
			n, err := keys(p, m, false)
			if err == nil {
				err = n.check(want, false)
			}
			if err != nil || !ok {
				t.Errorf("%s, %s: %v\n%s", c.rule, m, err, strings.TrimSpace(text))
			}
		}
	}
}
