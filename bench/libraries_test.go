package bench_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/cli"
	"fencepost/internal/testkit"
)

// Clients of public libraries, with the libraries as they are and the flags that their builds pass. Neither
// is here: the variable names the directory with the sources of the libraries (ck, dpdk, sysprog, urcu, ck
// and urcu configured), and the clients are shared.
const libraries = "FENCEPOST_LIBRARIES"

// libraryFlags are the include directories of a library, and the flags after --.
var libraryFlags = map[string]struct {
	include, flags []string
}{
	"ck":      {include: []string{"include"}},
	"urcu":    {include: []string{"include", "src"}},
	"sysprog": {include: []string{"."}},
	"dpdk": {
		include: []string{
			"build", "config", "lib/eal/include", "lib/eal/linux/include", "lib/eal/x86/include", "lib/ring", "lib/log", "lib/kvargs", "lib/eal/common",
		},
		flags: []string{"-include", "rte_config.h", "-march=corei7", "-DALLOW_EXPERIMENTAL_API"},
	},
}

// librarySources are the files of a library that a client is compiled with, and its own flags.
var librarySources = map[string]struct {
	sources, args []string
}{
	"ck/barrier_centralized.c": {sources: []string{"src/ck_barrier_centralized.c"}},
	"ck/barrier_mcs.c":         {sources: []string{"src/ck_barrier_mcs.c"}},
	"ck/epoch.c":               {sources: []string{"src/ck_epoch.c"}},
	"ck/hp_stack.c":            {sources: []string{"src/ck_hp.c"}},
	"ck/hs.c":                  {sources: []string{"src/ck_hs.c"}},
	"urcu/mb.c":                {sources: []string{"src/urcu.c", "src/urcu-pointer.c", "src/compat_futex.c"}, args: []string{"-DRCU_MB"}},
	"urcu/qsbr.c":              {sources: []string{"src/urcu-qsbr.c", "src/urcu-pointer.c"}},
	"sysprog/lfq.c":            {sources: []string{"lf-queue/lfq.c"}},
	"sysprog/mcslock.c":        {sources: []string{"mcslock/mcslock.c"}},
}

// libraryExpected has the answers that are not safe under SC and TSO: the exit codes there.
var libraryExpected = map[string][2]int{
	"ck/stack_upmc_aba.c":                 {1, 1}, // pops without tags
	"sysprog/client_worksteal.c empty":    {1, 1}, // bottom - 1 wraps
	"sysprog/thread-rcu/main.c, its main": {0, 1}, // rcu_read_lock has no full fence
}

// libraryClients are the shared clients of public libraries whose sources are there.
func libraryClients(t *testing.T) []asked {
	t.Helper()
	dir := os.Getenv(libraries)
	if dir == "" {
		t.Logf("notice: no clients of libraries: %s does not name the directory of their sources", libraries)
		return nil
	}
	var out []asked
	for name, library := range libraryFlags {
		clients, err := filepath.Glob(filepath.Join(testkit.Root(t), "..", "shared", "bench", "real", name, "*.c"))
		if err != nil {
			t.Fatal(err)
		}
		if !exists(filepath.Join(dir, name)) || len(clients) == 0 {
			t.Logf("notice: no clients of %s: its sources or the clients are not there", name)
			continue
		}
		for _, client := range clients {
			title := name + "/" + filepath.Base(client)
			extra := librarySources[title]
			args := append([]string{client}, extra.args...)
			for _, source := range extra.sources {
				args = append(args, filepath.Join(dir, name, source))
			}
			for _, path := range library.include {
				args = append(args, "-I", filepath.Join(dir, name, path))
			}
			if strings.HasSuffix(client, "_c.c") {
				args = append(args, "-DRTE_FORCE_INTRINSICS")
			}
			if len(library.flags) > 0 {
				args = append(append(args, "--"), library.flags...)
			}
			out = append(out, asked{name: title, args: args})
			if title == "sysprog/client_worksteal.c" {
				out = append(out, asked{name: title + " empty", args: append([]string{"-DEMPTY_TAKE"}, args...)})
			}
		}
	}
	if main := filepath.Join(dir, "sysprog", "thread-rcu", "main.c"); exists(main) {
		out = append(out, asked{name: "sysprog/thread-rcu/main.c, its main", args: []string{main, "-DN_READERS=1", "-DN_UPDATE_RUN=1"}})
	}
	return out
}

// TestLibraryClients: the default check of every client is accepted, and right under SC and TSO.
func TestLibraryClients(t *testing.T) {
	clients := libraryClients(t)
	if clients == nil {
		t.Skip("no libraries here")
	}
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			for i, model := range []string{"sc", "tso"} {
				var out, errs bytes.Buffer
				got := cli.Run(append([]string{"check", "--model", model, "--timeout", "60s"}, c.args...), nil, &out, &errs)
				if want := libraryExpected[c.name][i]; got != want {
					first, _, _ := strings.Cut(out.String(), "\n")
					t.Errorf("under %s: exit code %d, want %d: %s\n%s", model, got, want, first, errs.String())
				}
			}
		})
	}
}
