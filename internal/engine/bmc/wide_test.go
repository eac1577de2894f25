package bmc_test

import (
	"fmt"
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestWideInputs: inputs of all 2^32 or 2^64 values are as good as small ones. The
// arithmetic wraps as it does in ir, which replay computes with.
func TestWideInputs(t *testing.T) {
	cases := []struct {
		cond string // of v, any word, and i and u, its low half as a signed and as an unsigned number
		can  bool
	}{
		{"((i >s32 100) && ((i *s32 i) ==s32 49))", true}, // 2^31-7
		{"((v > 100) && ((v * v) == 49))", true},          // 2^63-7
		{"((i *s32 i) ==s32 3)", false},                   // no square is 3 modulo 8
		{"((i *s32 3) ==s32 1)", true},                    // odd numbers have inverses
		{"((i *s32 6) ==s32 1)", false},                   // even ones have not
		{"((u ^u32 3735928559) ==u32 305419896)", true},   //
		{"((i <s32 0) && (-s32 i ==s32 i))", true},        // the smallest number
		{"((i >s32 0) && (-s32 i ==s32 i))", false},       //
		{"((i +s32 1) <s32 i)", true},                     // wraps
		{"(((u +u32 1) ==u32 0) && (u <u32 4294967295))", false},
		{"(((v / 7) == 123456789012) && ((v % 7) == 3))", true},
		{"(((i /s32 7) ==s32 -3) && ((i %s32 7) ==s32 3))", false}, // rounds to zero
		{"(((i /s32 7) ==s32 -3) && ((i %s32 7) ==s32 -3))", true},
		{"((i !=s32 0) && ((i /s32 -1) ==s32 i))", true}, // the smallest number again
		{"(((u /u32 3) ==u32 1431655765) && ((u %u32 3) ==u32 0))", true},
		{"(((v /u64 10) ==u64 1844674407370955161) && (v <u64 0))", false},
		{"(((v /u64 10) ==u64 1844674407370955161) && ((v %u64 10) ==u64 5))", true}, // 2^64-1
		{"((u >u32 100) && ((1 <<s32 u) ==s32 65536))", true},                        // counts are modulo 32
		{"((1 <<s32 u) ==s32 3)", false},
		{"(((i >>s32 4) ==s32 -2) && ((i & 15) == 5))", true},
		{"(((u >>u32 u) ==u32 100) && (u >u32 1000))", true}, // 12800 + 7, or the like
		{"(((v >>u64 63) == 1) && (v >= 0))", false},
		{"((i <s32 0) && (u <u32 2147483648))", false},
		{"((i <s32 0) && (u >u32 4294967294))", true},
		{"((v != i) && ((v & 4294967295) == u))", true},
		{"((v == i) && (v < -2147483648))", false},
	}
	for _, c := range cases {
		text := fmt.Sprintf(`program wide flat
func a() {
  reg v
  reg i
  reg u
  0 -> 1: v = havoc
  1 -> 2: i = (s32)v
  2 -> 3: u = (u32)v
  3 -> 4: assert !%s
}
thread a = a()
`, c.cond)
		p, errs := irtext.Parse("wide", []byte(text))
		if errs.HasErrors() {
			t.Fatalf("%s: %v", c.cond, errs)
		}
		got, err := testkit.Ask(complete(1), p, &property.Set{Checks: true}, testkit.Models[0], testkit.How{First: true})
		if err != nil {
			t.Errorf("%s: %v", c.cond, err)
		} else if can := len(got.Checks) > 0; can != c.can {
			t.Errorf("%s can hold: got %v, want %v", c.cond, can, c.can)
		}
	}
}
