package elf

import (
	"slices"
	"strings"

	"fencepost/internal/frontend/elf/object"
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
	name     string   // in prototypes.txt
	versions []string // nil: all
}

var debianStable, recentStable = []string{"1.63"}, []string{"1.95"}

var rustStd = map[string]rustFunction{
	"std::env::_var_os":                                                   {"fp_rust_no_variable", nil},
	"std::rt::lang_start_internal":                                        {"fp_rust_start", nil},
	"std::io::stdio::_print":                                              {rustPrint, nil},
	"std::io::stdio::print":                                               {rustPrint, nil},
	"std::io::stdio::_eprint":                                             {"fp_rust_print_error", nil},
	"std::io::stdio::eprint":                                              {"fp_rust_print_error", nil},
	"<std::thread::builder::Builder>::name":                               {"fp_rust_builder_name", recentStable},
	"<std::thread::thread::Thread>::name":                                 {"fp_rust_name", recentStable},
	"std::thread::functions::park_timeout":                                {"fp_rust_park_here_some_time", recentStable},
	"alloc::sync::arcinner_layout_for_value_layout":                       {"fp_rust_arc_layout", recentStable},
	"std::thread::park_timeout":                                           {"fp_rust_old_park_some_time", debianStable},
	"std::thread::Builder::new":                                           {"fp_rust_builder", debianStable},
	"std::sys_common::thread::min_stack":                                  {"fp_rust_min_stack", debianStable},
	"std::thread::Thread::new":                                            {"fp_rust_old_handle", debianStable},
	"std::thread::Thread::id":                                             {"fp_rust_old_id", debianStable},
	"std::thread::Inner::parker":                                          {"fp_rust_old_parker", debianStable},
	"std::thread::current":                                                {"fp_rust_old_current", debianStable},
	"std::thread::park":                                                   {"fp_rust_old_park", debianStable},
	"std::thread::scoped::ScopeData::increment_num_running_threads":       {"fp_rust_old_scope_more", debianStable},
	"std::thread::scoped::ScopeData::decrement_num_running_threads":       {"fp_rust_old_scope_less", debianStable},
	"std::thread::sleep":                                                  {"fp_rust_nothing", nil},
	"std::thread::functions::sleep":                                       {"fp_rust_nothing", nil},
	"std::sys::unix::rand::hashmap_random_keys":                           {"fp_rust_keys", debianStable},
	"std::sys::random::linux::hashmap_random_keys":                        {"fp_rust_keys", recentStable},
	"std::time::Instant::now":                                             {"fp_rust_now", debianStable},
	"std::time::Instant::elapsed":                                         {"fp_rust_elapsed", debianStable},
	"<std::time::Instant>::now":                                           {"fp_rust_now", recentStable},
	"<std::time::Instant>::elapsed":                                       {"fp_rust_elapsed", recentStable},
	"std::sync::once::Once::call_inner":                                   {"fp_rust_once_queue", debianStable},
	"std::sync::barrier::Barrier::new":                                    {"fp_rust_barrier_new", debianStable},
	"std::sync::barrier::Barrier::wait":                                   {"fp_rust_barrier", debianStable},
	"std::sync::barrier::BarrierWaitResult::is_leader":                    {"fp_rust_byte", debianStable},
	"std::sync::condvar::WaitTimeoutResult::timed_out":                    {"fp_rust_byte", debianStable},
	"<std::sync::barrier::Barrier>::wait":                                 {"fp_rust_barrier", recentStable},
	"std::sys::unix::locks::futex::Condvar::wait_timeout":                 {"fp_rust_wait_timeout", debianStable},
	"<std::sys::sync::condvar::futex::Condvar>::wait_timeout":             {"fp_rust_wait_timeout", recentStable},
	"std::sys::unix::locks::futex_rwlock::RwLock::read_contended":         {"fp_rust_read_lock", debianStable},
	"std::sys::unix::locks::futex_rwlock::RwLock::write_contended":        {"fp_rust_write_lock", debianStable},
	"std::sys::unix::locks::futex_rwlock::RwLock::wake_writer_or_readers": {"fp_rust_wake_lock", debianStable},
	"<std::sys::sync::rwlock::futex::RwLock>::read_contended":             {"fp_rust_read_lock", recentStable},
	"<std::sys::sync::rwlock::futex::RwLock>::write_contended":            {"fp_rust_write_lock", recentStable},
	"<std::sys::sync::rwlock::futex::RwLock>::wake_writer_or_readers":     {"fp_rust_wake_lock", recentStable},
	"std::sys::unix::thread_local_dtor::register_dtor":                    {"fp_rust_at_thread_end", debianStable},
	"std::sys::unix::futex::futex_wake":                                   {"fp_rust_futex_wake", debianStable},
	"<std::thread::thread::Thread>::park_timeout":                         {"fp_rust_park_timeout", recentStable},
	"<std::sync::mpmc::context::Context>::new":                            {"fp_rust_context", recentStable},
	"std::thread::Thread::cname":                                          {"fp_rust_none", debianStable},
	"std::io::stdio::set_output_capture":                                  {"fp_rust_none", debianStable},
	"std::sys::unix::thread::Thread::new":                                 {"fp_rust_spawn", debianStable},
	"std::sys::unix::thread::Thread::join":                                {"fp_rust_join", debianStable},
	"std::sys::unix::thread::Thread::set_name":                            {"fp_rust_nothing", debianStable},
	"std::sys::unix::thread::Thread::yield_now":                           {"sched_yield", debianStable},
	"std::thread::yield_now":                                              {"sched_yield", nil},
	"std::thread::functions::yield_now":                                   {"sched_yield", nil},
	"std::sys::thread_local::destructors::linux_like::register":           {"fp_rust_at_thread_end", nil},
	"std::sys::pal::unix::futex::futex_wake":                              {"fp_rust_futex_wake", nil},
	"std::sys::pal::unix::futex::futex_wake_all":                          {"fp_rust_futex_wake_all", nil},
	"std::sys::unix::thread::guard::current":                              {"fp_rust_no_guard", debianStable},
	"std::sys_common::thread_info::set":                                   {"fp_rust_old_set", debianStable},
	"std::sys::unix::locks::futex::Mutex::lock_contended":                 {"fp_rust_lock", debianStable},
	"std::sys::unix::locks::futex::Mutex::wake":                           {"fp_rust_nothing", debianStable},
	"std::sys::unix::locks::futex::Condvar::wait":                         {"fp_rust_wait", debianStable},
	"std::sync::condvar::Condvar::notify_one":                             {"fp_rust_notify_one", debianStable},
	"std::sync::condvar::Condvar::notify_all":                             {"fp_rust_notify_all", debianStable},
	"std::sys_common::condvar::check::NoCheck::new":                       {"fp_rust_nothing", debianStable},
	"std::sys_common::condvar::check::NoCheck::verify":                    {"fp_rust_nothing", debianStable},
	"std::sys_common::mutex::MovableMutex::raw":                           {"fp_rust_same", debianStable},
	"std::sys::unix::locks::futex::Condvar::notify_one":                   {"fp_rust_notify_one", debianStable},
	"std::sys::unix::locks::futex::Condvar::notify_all":                   {"fp_rust_notify_all", debianStable},
	"<std::sys::unix::thread::Thread as core::ops::drop::Drop>::drop":     {"fp_rust_detach", debianStable},
	"std::thread::spawnhook::run_spawn_hooks":                             {"fp_rust_no_hooks", recentStable},
	"<std::thread::spawnhook::ChildSpawnHooks>::run":                      {"fp_rust_nothing", recentStable},
	"<std::thread::spawnhook::SpawnHooks as core::ops::drop::Drop>::drop": {"fp_rust_nothing", recentStable},
	"<std::thread::id::ThreadId>::new":                                    {"fp_rust_number", recentStable},
	"<std::thread::thread::Thread>::new":                                  {"fp_rust_thread", recentStable},
	"<std::thread::thread::Thread>::park":                                 {"fp_rust_park", recentStable},
	"std::thread::functions::park":                                        {"fp_rust_park_here", recentStable},
	"std::thread::current::current":                                       {"fp_rust_current", recentStable},
	"std::thread::current::current_or_unnamed":                            {"fp_rust_current", recentStable},
	"<std::sys::thread::unix::Thread>::new":                               {"fp_rust_begin", recentStable},
	"<std::sys::thread::unix::Thread>::join":                              {"fp_rust_join", recentStable},
	"<std::sys::thread::unix::Thread as core::ops::drop::Drop>::drop":     {"fp_rust_detach", recentStable},
	"Arc<Thread>::drop_slow":                                              {"fp_rust_forget", recentStable},
	"<std::thread::scoped::ScopeData>::increment_num_running_threads":     {"fp_rust_scope_more", recentStable},
	"<std::thread::scoped::ScopeData>::decrement_num_running_threads":     {"fp_rust_scope_less", recentStable},
	"<std::sys::sync::mutex::futex::Mutex>::lock_contended":               {"fp_rust_lock", recentStable},
	"<std::sys::sync::mutex::futex::Mutex>::wake":                         {"fp_rust_nothing", recentStable},
	"<std::sys::sync::condvar::futex::Condvar>::wait":                     {"fp_rust_wait", recentStable},
	"<std::sync::poison::condvar::Condvar>::notify_one":                   {"fp_rust_notify_one", recentStable},
	"<std::sync::poison::condvar::Condvar>::notify_all":                   {"fp_rust_notify_all", recentStable},
	"<std::sys::sync::once::futex::Once>::call":                           {"fp_rust_once", recentStable},
}

// rustEdges are functions of Rust's library that are not read where the files have it: what begins the program is
// modelled, a panic is an error of the program, and texts are made of values by much code that matters to no other
// thread. The others are read as the user's code is, so that what they do is that of the version.
var rustEdges = []string{"core::fmt::", "alloc::fmt::", "std::backtrace", "std::io::stdio::", "std::sys::backtrace", "std::rt::lang_start_internal", "std::process::", "std::env::"}

// rustEdge reports whether a symbol is one of those functions.
func (p *program) rustEdge(s *object.Symbol) bool {
	if s.Kind != object.Function || !strings.HasPrefix(s.Name, "_") {
		return false
	}
	is, known := p.edges[s]
	if !known {
		is = p.isRustEdge(s.Name)
		p.edges[s] = is
	}
	return is
}

func (p *program) isRustEdge(name string) bool {
	short, ok := isRust(name)
	if !ok || isStatic(short) {
		return false
	}
	for _, part := range []string{"rust_begin_short_backtrace", "std::panicking::catch_unwind", "std::panicking::try", "std::panicking::panic_count"} { // they call what the program gives them
		if strings.Contains(short, part) {
			return false
		}
	}
	if pr := libraryFunction(name); pr != nil && (pr.fails() || pr.rust == nil || p.unknownRust(name, pr) == "") {
		return true
	}
	short, _, _ = strings.Cut(strings.TrimLeft(short, "<"), "::{")
	for _, edge := range rustEdges {
		if strings.HasPrefix(short, edge) {
			return true
		}
	}
	return strings.Contains(short, " as core::fmt::")
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
	return short + " of Rust's library " + strings.Join(versions, ", ") + " is not known; parts of those of rustc " + strings.Join(slices.Concat(debianStable, recentStable), " and ") + " are"
}
