package read_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// headersForPrograms lists our headers for programs, such as sys/mman.h.
func headersForPrograms(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir("include", func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "include/")
		if err != nil || d.IsDir() || name == "predefined.h" || strings.HasPrefix(name, "fencepost/linux") {
			return err
		}
		text, err := os.ReadFile(path)
		if !bytes.Contains(text, []byte("<fencepost/linux.h>")) { // which cannot stand beside <stdatomic.h>
			out = append(out, name)
		}
		return err
	})
	if err != nil || len(out) < 80 {
		t.Fatalf("%d headers, %v", len(out), err)
	}
	return out
}

// posix are the headers of POSIX.1-2017 and C11 that Linux has; it has no ndbm.h, stropts.h and trace.h.
const posix = `aio.h arpa/inet.h assert.h complex.h cpio.h ctype.h dirent.h dlfcn.h errno.h fcntl.h fenv.h float.h fmtmsg.h
fnmatch.h ftw.h glob.h grp.h iconv.h inttypes.h iso646.h langinfo.h libgen.h limits.h locale.h math.h monetary.h mqueue.h
net/if.h netdb.h netinet/in.h netinet/tcp.h nl_types.h poll.h pthread.h pwd.h regex.h sched.h search.h semaphore.h
setjmp.h signal.h spawn.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h
string.h strings.h sys/ipc.h sys/mman.h sys/msg.h sys/resource.h sys/select.h sys/sem.h sys/shm.h sys/socket.h sys/stat.h
sys/statvfs.h sys/time.h sys/times.h sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h syslog.h tar.h termios.h
tgmath.h threads.h time.h uchar.h ulimit.h unistd.h utime.h utmpx.h wchar.h wctype.h wordexp.h`

// TestStandardHeaders: no header of a standard is missing.
func TestStandardHeaders(t *testing.T) {
	headers := headersForPrograms(t)
	for _, name := range strings.Fields(posix) {
		if !slices.Contains(headers, name) {
			t.Errorf("there is no header %s", name)
		}
	}
}

// TestHeadersAlone: each header can be the first and only one of a program. All headers
// together are a program too, in either order, with the functions of GNU and with those of ISO C only.
func TestHeadersAlone(t *testing.T) {
	headers := headersForPrograms(t)
	all, reversed := "", ""
	for _, header := range headers {
		include := "#include <" + header + ">\n"
		all, reversed = all+include, include+reversed
		readText(t, header, include, read.Options{})
	}
	readText(t, "all", all, read.Options{COptions: query.COptions{Defines: []string{"_GNU_SOURCE"}}})
	readText(t, "all", reversed, read.Options{COptions: query.COptions{Std: "c11"}})
}

func readText(t *testing.T, name, text string, opt read.Options) {
	t.Helper()
	f := source.NewFile("main.c", []byte(text+"int main(void) { return 0; }\n"))
	diags := &diag.List{}
	if ast := read.NewInput([]*source.File{f}, opt, diags).Parse(f, "", ""); ast == nil {
		t.Errorf("%s: %s", name, testkit.Messages(diags))
	}
}

// differs are constants that depend on the system, on flags or on the processor.
var differs = []string{"LINUX_VERSION_CODE", "PTHREAD_STACK_MIN", "MINSIGSTKSZ", "SIGSTKSZ", "CHAR_MIN", "CHAR_MAX"}

// TestConstants: the headers of this system have the same numbers as ours, if a gcc can be
// asked.
func TestConstants(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("notice: no gcc here, so the constants are not compared with the headers of the system")
	}
	constant := regexp.MustCompile(`(?m)^[ \t]*#define ([A-Za-z]\w*) (\(?-?[0-9][0-9A-Za-z]*\)?)$`)
	var text strings.Builder
	text.WriteString("#define _GNU_SOURCE\n")
	n := 0
	for _, header := range headersForPrograms(t) {
		fmt.Fprintf(&text, "#if __has_include(<%s>)\n#include <%s>\n#endif\n", header, header)
	}
	for _, header := range headersForPrograms(t) {
		ours, err := os.ReadFile(filepath.Join("include", header))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllStringSubmatch(string(ours), -1) {
			if slices.Contains(differs, m[1]) {
				continue
			}
			n++
			fmt.Fprintf(&text, "#ifdef %s\n_Static_assert((%s) == (%s), \"%s %s\");\n#endif\n", m[1], m[1], m[2], header, m[1])
		}
	}
	if n < 1500 {
		t.Errorf("only %d constants", n)
	}
	cmd := exec.Command(gcc, "-w", "-mavx512f", "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.3000s", err, out)
	}
}

// TestKernelHeaders: each header of the kernel can be the first and only one of a program, for gcc, too, and all of them together.
func TestKernelHeaders(t *testing.T) {
	names, err := filepath.Glob("include/linux/*.h")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, path := range names {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("<fencepost/linux.h>")) {
			continue
		}
		include := fmt.Sprintf("#include <linux/%s>\n", filepath.Base(path))
		all += include
		readText(t, path, include, read.Options{})
	}
	if strings.Count(all, "\n") < 25 {
		t.Fatalf("only these headers:\n%s", all)
	}
	readText(t, "all", all, read.Options{})
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fencepost"), os.DirFS("include/fencepost")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(gcc, "-x", "c", "-Wall", "-Werror", "-Wno-unused", "-fsyntax-only", "-I", dir, "-")
	cmd.Stdin = strings.NewReader("#include <fencepost/linux.h>\nint main(void) { return 0; }\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
