package parse_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wanted has what a header takes from the file that includes it.
var wanted = map[string]string{
	"fencepost/linux_rcu_litmus.h": "#define __FP_RCU_THREADS 1\n#define __FP_RCU_EACH(f) f(0)\n#define __FP_SRCU_SECTIONS 1\n#define __FP_SRCU_EACH(f) f(0)\n",
}

// TestUnmentioned: prototypes of our headers that a program does not mention are skipped, and have the same
// type when they are asked for as in a program that mentions all of them.
func TestUnmentioned(t *testing.T) {
	headers, err := filepath.Abs(headerDir)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	total := 0
	err = filepath.WalkDir(headers, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".h") || d.Name() == "predefined.h" {
			return err
		}
		name, err := filepath.Rel(headers, path)
		if err != nil {
			return err
		}
		read := func(rest string) (lookup func(string) string, skipped []string) {
			text := fmt.Sprintf("%s#include <%s>\n%s", wanted[name], name, rest)
			if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			u, says := parseFile(t, dir, "a.c", "-D__FENCEPOST__=1", "-isystem", headers)
			if says != "" {
				t.Fatalf("%s: %s", name, says)
			}
			skipped = u.Skipped()
			return func(name string) string {
				o := u.Lookup(name)
				if o == nil {
					return "none"
				}
				return fmt.Sprint(o.Type, o.Storage, o.Names, len(o.Attrs))
			}, skipped
		}
		lazy, skipped := read("")
		if len(skipped) == 0 {
			return nil
		}
		eager, rest := read("int (*mention(int n))() { switch (n) { case 0: return (void *)" + strings.Join(skipped, "; case __COUNTER__ + 1: return (void *)") + "; } return 0; }")
		if len(rest) > 0 {
			t.Errorf("%s: %v are mentioned and were skipped", name, rest)
		}
		total += len(skipped)
		slices.Reverse(skipped)
		for _, f := range skipped {
			if a, b := lazy(f), eager(f); a != b || a == "none" {
				t.Errorf("%s: %s is %s, and %s if it is mentioned", name, f, a, b)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total < 1000 {
		t.Errorf("only %d prototypes were skipped", total)
	}
}
