package check_test

import (
	"context"
	_ "embed"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/question/verify"
	"fencepost/query"
)

// c11ByHand are programs of shapes that no generator here makes: threads that a loop starts, joins in between, calls that fail,
// barriers used again, parts of structs and unions, release sequences, and litmus tests with read-modify-writes and fences.
//
//go:embed testdata/c11.txt
var c11ByHand string

// handHead begins each of these programs.
const handHead = c11Head + `#include <errno.h>
#include <string.h>
#include <threads.h>
#define acqrel memory_order_acq_rel
#define sc memory_order_seq_cst
#define fadd(x, v, o) atomic_fetch_add_explicit(&x, v, o)
#define xchg(x, v, o) atomic_exchange_explicit(&x, v, o)
#define fence atomic_thread_fence
`

// TestC11ByHand: the answers under c11 agree with the axioms, and every witness is replayed.
func TestC11ByHand(t *testing.T) {
	programs := strings.Split(c11ByHand, "\n== ")[1:]
	if len(programs) < 170 {
		t.Fatalf("only %d programs are read", len(programs))
	}
	for _, p := range programs {
		want, text, _ := strings.Cut(p, "\n")
		opt := query.CheckOptions{Options: query.Defaults(), Models: query.Models{query.C11}}
		opt.Timeout, opt.Workers = 0, 1
		in := query.Input{Name: "p.c", Text: []byte(handHead + text)}
		ans, err := check.Run(context.Background(), in, opt)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		r := &ans.Results[0]
		if got := r.Verdict.String(); got == "safe" && want != "safe" || got != "safe" && !strings.HasPrefix(r.Reason, want) {
			t.Errorf("%s: %s, want %s\n%s", got, r.Reason, want, text)
		}
		again, err := verify.Results(context.Background(), in, ans.Results, query.Options{})
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		for _, v := range again.Checks {
			if v.Err != nil {
				t.Errorf("verification of %s: %v\n%s", v.Name, v.Err, text)
			}
		}
	}
}
