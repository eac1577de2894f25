package fences

import (
	"testing"

	"fencepost/query"
)

// TestPatchName: `patch -p1` finds the file in the directory, or in the root.
func TestPatchName(t *testing.T) {
	for _, tc := range []struct{ directory, name, want string }{
		{"", "../a.c", "../a.c"},
		{"/src/lib", "a.c", "a.c"},
		{"/src/lib", "./sub/a.c", "sub/a.c"},
		{"/src/lib", "/src/lib/sub/a.c", "sub/a.c"},
		{"/src/lib", "../lib/a.c", "a.c"},
		{"/src/lib", "../a.c", "src/a.c"},
		{"/src/lib", "/other/a.c", "other/a.c"},
	} {
		opt := query.FenceOptions{Directory: tc.directory}
		if got := patchName(&opt, tc.name); got != tc.want {
			t.Errorf("%s in %q: %s, want %s", tc.name, tc.directory, got, tc.want)
		}
	}
}
