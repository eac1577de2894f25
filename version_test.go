package fencepost

import (
	"runtime/debug"
	"testing"
)

func TestVersionIn(t *testing.T) {
	other := debug.Module{Path: "example.org/prog", Version: "v9.9.9"}
	ours := &debug.Module{Path: modulePath, Version: "v1.2.3"}
	for _, c := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"tagged", debug.BuildInfo{Main: *ours}, "v1.2.3"},
		{"a commit", debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v0.0.0-20260101000000-0123456789ab+dirty"}}, "v0.0.0-20260101000000-0123456789ab+dirty"},
		{"a test", debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, "devel"},
		{"without version control", debug.BuildInfo{Main: debug.Module{Path: modulePath}}, "devel"},
		{"imported", debug.BuildInfo{Main: other, Deps: []*debug.Module{{Path: "example.org/x", Version: "v3.0.0"}, ours}}, "v1.2.3"},
		{"imported from a directory", debug.BuildInfo{Main: other, Deps: []*debug.Module{{Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: "../fencepost"}}}}, "devel"},
		{"the other module", debug.BuildInfo{
			Main: debug.Module{Path: modulePath + "/cluster", Version: "v1.2.4"},
			Deps: []*debug.Module{{Path: modulePath, Version: "v0.0.0", Replace: &debug.Module{Path: "../"}}},
		}, "v1.2.4"},
		{"not there", debug.BuildInfo{Main: other}, "devel"},
	} {
		if got := versionIn(&c.info); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestBuildVersion: two builds that have no version, such as this one, differ.
func TestBuildVersion(t *testing.T) {
	if got := BuildVersion(); Version() == devel && len(got) < len(devel)+17 || got != BuildVersion() {
		t.Errorf("got %q", got)
	}
}
