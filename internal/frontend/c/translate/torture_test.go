package translate_test

import (
	"cmp"
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

var tortureFolder = flag.String("fp.torture", "", "folder with programs of gcc's C torture suite that are run; empty: they are not checked")

// tortureHead makes errors of the ways in which a program of the suite says that it failed.
const tortureHead = `extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
extern void _Exit(int) __attribute__((noreturn));
static void torture_abort(void) { __assert_fail("abort", "torture", 1, "abort"); }
static void torture_exit(int n) { if (n) __assert_fail("exit", "torture", 2, "exit"); _Exit(0); }
#define abort torture_abort
#define exit torture_exit
#define __builtin_abort torture_abort
#define __builtin_exit torture_exit
`

// tortureMain runs main, and demands that it returns 0.
const tortureMain = `
#undef main
int main(void) { if (torture_main()) __assert_fail("main", "torture", 3, "main"); return 0; }
`

// undefinedBehaviour are programs of the suite that are right to be unsafe, and why.
var undefinedBehaviour = map[string]string{
	"20021127-1.c":         "it defines llabs, and expects gcc's own",
	"20030404-1.c":         "it compares variables without a value",
	"20090527-1.c":         "it reads a member that was never written",
	"20101011-1.c":         "it divides by zero, and expects a signal",
	"921202-1.c":           "it compares variables without a value",
	"941014-2.c":           "it reads memory of malloc",
	"builtin-prefetch-2.c": "it reads a pointer that was never written",
	"pr34099-2.c":          "it computes with a variable without a value",
	"pr67037.c":            "it calls a function through a pointer with an argument too many",
	"string-opt-18.c":      "it compares an array without values",
}

var (
	tortureFlags = regexp.MustCompile(`dg-(?:additional-)?options\s+"([^"]*)"\s*\}`)
	tortureEnd   = regexp.MustCompile(`\bmain\s*\(\s*(?:void)?\s*\)[^}]*(?:[^\n]\}[^}]*|\n[^\n}]+\}[^}]*)*\n\s*return[^;]*;\s*\}\s*$`)
)

// TestTorture: programs of gcc's C torture suite, which end with status 0 if a compiler is right, are safe or refused, each
// with a reason that the output of the test lists. Nothing of the suite is part of the repository: make torture DIR=folder.
func TestTorture(t *testing.T) {
	if *tortureFolder == "" {
		t.Skip("no torture programs: make torture DIR=folder")
	}
	files, err := filepath.Glob(filepath.Join(*tortureFolder, "*.c"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in %s: %v", *tortureFolder, err)
	}
	safe, slow, refused := 0, []string{}, map[string][]string{}
	for _, path := range files {
		name := filepath.Base(path)
		got, why := torture(t, path)
		switch {
		case got == verdict.Safe:
			safe++
		case got == verdict.Unsafe && undefinedBehaviour[name] != "":
			refused["undefined behaviour"] = append(refused["undefined behaviour"], name+" ("+undefinedBehaviour[name]+")")
		case got == verdict.Unsafe:
			t.Errorf("%s: %s", name, why)
		case strings.Contains(why, "limit") || strings.Contains(why, "bounds") || strings.Contains(why, "at most"):
			slow = append(slow, name)
		default:
			refused[why] = append(refused[why], name)
		}
	}
	t.Logf("%d programs: %d safe, %d without an answer in time", len(files), safe, len(slow))
	reasons := slices.SortedFunc(maps.Keys(refused), func(a, b string) int {
		return cmp.Or(len(refused[b])-len(refused[a]), cmp.Compare(a, b))
	})
	for _, why := range reasons {
		t.Logf("%d: %s: %s", len(refused[why]), why, strings.Join(refused[why], " "))
	}
	t.Logf("no answer in time: %s", strings.Join(slow, " "))
}

var inFile = regexp.MustCompile(`^[^ ]+\.[ch]:\d+:\d+: `)

// torture checks one program. It returns why the answer is not safe, without the position.
func torture(t *testing.T, path string) (verdict.Verdict, string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout, opt.Engines = 1, 10*time.Second, query.Engines{"explicit"}
	opt.C.Include = func(name string) ([]byte, bool) {
		text, err := os.ReadFile(name)
		return text, err == nil
	}
	for _, m := range tortureFlags.FindAllSubmatch(text, -1) {
		for _, f := range strings.Fields(string(m[1])) {
			if !strings.HasPrefix(f, "-W") && f != "-w" {
				opt.C.Flags = append(opt.C.Flags, f)
			}
		}
	}
	program := tortureHead
	renamed := tortureEnd.Match(text) && !strings.Contains(string(text), "__FUNCTION__") // which would be another name
	if renamed {
		program += "#define main torture_main\n"
	}
	program += "#line 1\n" + string(text)
	if renamed {
		program += tortureMain
	}
	a, err := check.Run(context.Background(), query.Input{Name: path, Text: []byte(program)}, opt.Under("sc"))
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return verdict.Unknown, err.Error()
	}
	if a.HasErrors() {
		return verdict.Unknown, a.Diagnostics[0].Message
	}
	r := &a.Results[0]
	_, why, found := strings.Cut(r.Reason, "not supported: ")
	if !found {
		why = r.Reason
	}
	return r.Verdict, inFile.ReplaceAllString(why, "")
}
