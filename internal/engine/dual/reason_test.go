package dual_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/dual"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

func TestReasons(t *testing.T) {
	count := map[string]int{}
	for i := range *programs {
		seed := *firstSeed + uint64(i)
		pr := loopFree[seed%uint64(len(loopFree))]
		flat, props := testkit.Generate(seed, pr).Flat()
		list, err := questions(flat, props, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			continue
		}
		for _, q := range list {
			task := &engine.Task{Program: flat, Props: q.props, Model: memory.TSO, Limits: limited}
			out, err := dual.Engine.Run(context.Background(), task)
			if err != nil {
				count[pr.Name+" "+err.Error()]++
			} else if out.Unknown != "" {
				count[pr.Name+" "+out.Unknown]++
			}
		}
	}
	for k, v := range count {
		fmt.Println(v, k)
	}
}
