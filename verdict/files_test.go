package verdict_test

import (
	"testing"

	"fencepost/verdict"
)

func TestShortFiles(t *testing.T) {
	short := verdict.ShortFiles([]string{"/lib/a/queue.c", "/lib/b/queue.c", "queue.c", "x/main.c", "y.h"})
	for file, want := range map[string]string{
		"/lib/a/queue.c": "a/queue.c", "/lib/b/queue.c": "b/queue.c", "queue.c": "queue.c", "x/main.c": "main.c", "y.h": "y.h", "z/unknown.h": "unknown.h",
	} {
		if got := short(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	same := verdict.ShortFiles([]string{"a/b.c", "/a/b.c"})
	if same("a/b.c") == same("/a/b.c") {
		t.Error("two files have one name")
	}
}
