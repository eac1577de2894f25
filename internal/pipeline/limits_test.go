package pipeline

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestLimited: work that does not end is abandoned at each of the limits, and work
// that ends is not.
func TestLimited(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	limits := Defaults()
	limits.Timeout, limits.Memory = time.Nanosecond, 0
	for _, tc := range []struct {
		name string
		ctx  context.Context
		opt  Options
		work func()
		want string
	}{
		{"time", t.Context(), limits, func() { <-hang }, "within the time limit"},
		{"interruption", gone, Options{}, func() { <-hang }, "before the interruption"},
		{"memory", t.Context(), Options{Memory: 1 << 20}, func() {
			kept := make([]byte, 64<<20)
			<-hang
			kept[0]++
		}, "within the memory limit"},
		{"nothing", t.Context(), Options{Timeout: time.Hour, Memory: 1 << 40}, func() {}, ""},
	} {
		runtime.GC() // so that what earlier tests left does not count
		if got := limited(tc.ctx, tc.opt, time.Now(), nil, tc.work); !strings.HasPrefix(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%s: ended %q, want %q", tc.name, got, tc.want)
		}
	}
}
