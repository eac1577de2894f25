package elf

import (
	"slices"
	"strings"

	"fencepost/internal/lazyregexp"
)

// Functions of Rust's library, by their demangled names without crate and hash. Programs call the library's inner
// functions, because the outer ones are generic: std::thread::spawn becomes calls of Thread::new of the system, a
// Mutex is a futex whose fast path is in the program. The inner functions change with the versions of the compiler;
// the debug information has the version.

// rustNames are functions of all versions.
var rustNames = map[string]string{
	"__rust_alloc": "fp_rust_alloc", "__rust_alloc_zeroed": "fp_rust_alloc_zeroed", "__rust_realloc": "fp_rust_realloc", "__rust_dealloc": "fp_rust_dealloc",
	"__rust_no_alloc_shim_is_unstable_v2": "fp_rust_nothing",
}

// rustFunction is a function of some versions.
type rustFunction struct {
	name     string // in prototypes.txt
	versions []string
}

var debianStable = []string{"1.63"}

var rustStd = map[string]rustFunction{
	"std::rt::lang_start_internal":                                    {"fp_rust_start", debianStable},
	"std::thread::Builder::new":                                       {"fp_rust_builder", debianStable},
	"std::sys_common::thread::min_stack":                              {"fp_rust_min_stack", debianStable},
	"std::thread::Thread::new":                                        {"fp_rust_handle", debianStable},
	"std::thread::Thread::cname":                                      {"fp_rust_none", debianStable},
	"std::io::stdio::set_output_capture":                              {"fp_rust_none", debianStable},
	"std::sys::unix::thread::Thread::new":                             {"fp_rust_spawn", debianStable},
	"std::sys::unix::thread::Thread::join":                            {"fp_rust_join", debianStable},
	"std::sys::unix::thread::Thread::set_name":                        {"fp_rust_nothing", debianStable},
	"std::sys::unix::thread::Thread::yield_now":                       {"sched_yield", debianStable},
	"std::thread::yield_now":                                          {"sched_yield", debianStable},
	"std::sys::unix::thread::guard::current":                          {"fp_rust_no_guard", debianStable},
	"std::sys_common::thread_info::set":                               {"fp_rust_nothing", debianStable},
	"std::sys::unix::locks::futex::Mutex::lock_contended":             {"fp_rust_lock", debianStable},
	"std::sys::unix::locks::futex::Mutex::wake":                       {"fp_rust_nothing", debianStable},
	"std::sys::unix::locks::futex::Condvar::wait":                     {"fp_rust_wait", debianStable},
	"std::sync::condvar::Condvar::notify_one":                         {"fp_rust_notify_one", debianStable},
	"std::sync::condvar::Condvar::notify_all":                         {"fp_rust_notify_all", debianStable},
	"std::sys_common::condvar::check::NoCheck::new":                   {"fp_rust_nothing", debianStable},
	"std::sys_common::condvar::check::NoCheck::verify":                {"fp_rust_nothing", debianStable},
	"std::sys_common::mutex::MovableMutex::raw":                       {"fp_rust_same", debianStable},
	"std::sys::unix::locks::futex::Condvar::notify_one":               {"fp_rust_notify_one", debianStable},
	"std::sys::unix::locks::futex::Condvar::notify_all":               {"fp_rust_notify_all", debianStable},
	"<std::sys::unix::thread::Thread as core::ops::drop::Drop>::drop": {"fp_rust_detach", debianStable},
}

var rustVersion = lazyregexp.New(`rustc version (\d+\.\d+)`)

// rustVersions returns the versions of rustc that made the files.
func (p *program) rustVersions() []string {
	var out []string
	for _, producer := range p.image.Lines.Producers {
		if m := rustVersion.FindStringSubmatch(producer); m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

// isRust reports whether a name is one of Rust's library, and returns it as people write it.
func isRust(name string) (string, bool) {
	if !strings.HasPrefix(name, "_R") && !strings.HasPrefix(name, "_ZN") {
		return "", false
	}
	short := strings.TrimLeft(shortName(name), "<")
	for _, crate := range []string{"std::", "core::", "alloc::", "__rustc::", "dyn core::"} {
		if strings.HasPrefix(short, crate) && (strings.HasPrefix(name, "_R") || rustHash.MatchString(name)) {
			return shortName(name), true
		}
	}
	return "", false
}

var rustHash = lazyregexp.New(`17h[0-9a-f]{16}E$`)

// unknownRust says why a function of Rust's library is not known; "" if its version has the function that is known.
func (p *program) unknownRust(name string, pr *prototype) string {
	short, ok := isRust(name)
	if pr != nil && len(pr.rust) == 0 || pr == nil && !ok {
		return ""
	}
	versions := p.rustVersions()
	switch {
	case len(versions) == 0:
		return short + " of Rust's library is not known, because the files do not say the version of rustc (compile with -g)"
	case pr != nil && !slices.ContainsFunc(versions, func(v string) bool { return !slices.Contains(pr.rust, v) }):
		return ""
	}
	return short + " of Rust's library " + strings.Join(versions, ", ") + " is not known; that of rustc " + strings.Join(debianStable, ", ") + " is read in part"
}
