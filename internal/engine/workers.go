package engine

import "sync"

// Together runs workers by their numbers, and returns when all have ended. A panic of one stops the others, and is
// repeated here.
func Together(workers int, work func(number int), stop func()) {
	var wg sync.WaitGroup
	broken := make([]any, workers)
	for i := range workers {
		wg.Go(func() {
			defer func() {
				if broken[i] = recover(); broken[i] != nil {
					stop()
				}
			}()
			work(i)
		})
	}
	wg.Wait()
	for _, b := range broken {
		if b != nil {
			panic(b)
		}
	}
}
