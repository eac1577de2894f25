package smc_test

import (
	"strings"
	"testing"

	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestReachedFromSection: what a thread does after another one started or woke it inside an atomic
// section comes after that section, in goals too. The witness of the goal replays.
func TestReachedFromSection(t *testing.T) {
	const woken = `program woken flat
object m size 8
object c size 8

func t0() {
  L0 -> L1: lock.recursive [&m]
  L1 -> L2: condwait [&c] mutex [&m]
  L2 -> L3: unlock.recursive [&m]
}

func t1() {
  L0 -> L1: atomicbegin
  L1 -> L2: WAKE [&c]
  L2 -> L3: atomicend
}

thread t0 = t0()
thread t1 = t1()
`
	const started = `program started flat
object x size 8

func t0() {
  L0 -> L1: store.s64 [&x] = 1
  L1 -> L2: store.s64 [&x] = 2
  L2 -> L3: nop
}

func t1() {
  reg h
  L0 -> L1: atomicbegin
  L1 -> L2: h = spawn {t0}()
  L2 -> L3: atomicend
}

thread t0 = t0() spawned
thread t1 = t1()
`
	for name, text := range map[string]string{
		"signal": strings.ReplaceAll(woken, "WAKE", "signal"), "broadcast": strings.ReplaceAll(woken, "WAKE", "broadcast"), "spawn": started,
	} {
		p, diags := irtext.Parse(name+".ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		props := &property.Set{Goals: []property.Goal{{At: []property.At{{Thread: 0, Locs: []ir.Loc{3}}}}}}
		for _, m := range testkit.Models {
			got, err := testkit.Ask(&smc.Engine, p, props, m, testkit.How{})
			if err != nil {
				t.Errorf("%s, %s: %v", name, m, err)
				continue
			}
			want, err := testkit.Ask(testkit.Explicit, p, props, m, testkit.How{})
			if err != nil {
				t.Fatal(err)
			}
			if d := testkit.Difference(want, got); d != "" {
				t.Errorf("%s, %s: %s", name, m, d)
			}
		}
	}
}
