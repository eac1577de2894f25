package elf

import (
	_ "embed"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Functions of the libraries of C++ and Rust, by their names. Most are written in C (runtime.txt); some end the
// program with an error: a panic of Rust, std::terminate.

//go:embed runtime.txt
var runtimeText string

// fails is the prototype of a function whose call is an error of the program.
const fails = "fp_fails"

// sameAs are other names of functions of the library.
var sameAs = map[string]string{
	"__isoc99_sscanf": "sscanf", "_Znwm": "malloc", "_Znam": "malloc", "_ZdlPv": "free", "_ZdaPv": "free", "_ZdlPvm": "free", "_ZdaPvm": "free",
	"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE": "fp_start_thread",
	"_ZNSt6thread4joinEv":                                       "fp_join_thread",
	"_ZNSt6thread6detachEv":                                     "fp_detach_thread",
	"_ZNSt6thread6_StateD2Ev":                                   "fp_nothing",
	"_ZNSt6thread6_StateD1Ev":                                   "fp_nothing",
	"_ZNSt8ios_base4InitC1Ev":                                   "fp_nothing",
	"_ZNSt8ios_base4InitD1Ev":                                   "fp_nothing",
	"_ZNSt18condition_variableC1Ev":                             "fp_cond_init",
	"_ZNSt18condition_variableD1Ev":                             "pthread_cond_destroy",
	"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE": "fp_cond_wait",
	"_ZNSt18condition_variable10notify_oneEv":                   "pthread_cond_signal",
	"_ZNSt18condition_variable10notify_allEv":                   "pthread_cond_broadcast",
	"__cxa_guard_acquire":                                       "fp_guard_acquire",
	"__cxa_guard_release":                                       "fp_guard_release",
	"__cxa_atexit":                                              "fp_cxa_atexit",
	"_ZSt9terminatev":                                           fails,
	"__cxa_pure_virtual":                                        fails,
	"__stack_chk_fail":                                          fails,
	"__memcpy_chk":                                              "memcpy", "__memmove_chk": "memmove", "__memset_chk": "memset",
}

// replaced are functions of fencepost.h and fencepost.rs that have a body for runs without fencepost.
var replaced = map[string]bool{"fencepost_nondet": true, "fencepost_assume": true}

// rustNames are functions of Rust's library, by their names without crate and hash.
var rustNames = map[string]string{
	"__rust_alloc": "fp_rust_alloc", "__rust_alloc_zeroed": "fp_rust_alloc_zeroed", "__rust_realloc": "fp_rust_realloc", "__rust_dealloc": "free",
	"__rust_no_alloc_shim_is_unstable_v2": "fp_nothing",
}

// panics are functions of Rust's library that only a panic calls, by how their names begin.
var panics = []string{
	"core::panicking::", "std::panicking::", "core::option::unwrap_failed", "core::option::expect_failed", "core::result::unwrap_failed",
	"core::cell::panic_", "core::slice::index::slice_", "alloc::raw_vec::handle_error", "alloc::alloc::handle_alloc_error", "alloc::raw_vec::capacity_overflow",
}

// libraryFunction returns the prototype of a function of the library, nil if it is not known.
func libraryFunction(name string) *prototype {
	if other, ok := sameAs[name]; ok {
		return prototypes[other]
	}
	if pr := prototypes[name]; pr != nil {
		return pr
	}
	if !strings.HasPrefix(name, "_R") && !strings.HasPrefix(name, "_ZN") && !strings.HasPrefix(name, "__rust") {
		return nil
	}
	short := shortName(name)
	for _, p := range panics {
		if strings.HasPrefix(short, p) {
			return prototypes[fails]
		}
	}
	if i := strings.LastIndex(short, "::"); i >= 0 && strings.HasPrefix(short, "__rustc") {
		short = short[i+2:]
	}
	return prototypes[rustNames[short]]
}

// ends are functions that do not return, and are not supported or an error.
var ends = map[string]bool{
	"__assert_fail": true, "abort": true, "exit": true, "pthread_exit": true,
	"__cxa_throw": true, "__cxa_rethrow": true, "_Unwind_Resume": true, "__cxa_throw_bad_array_new_length": true,
}

// endsThere reports whether a function does not return: what comes after a call of it is other code.
func endsThere(name string) bool {
	if name == "" {
		return false
	}
	if pr := libraryFunction(name); pr != nil && pr.name == fails {
		return true
	}
	return ends[name] || strings.HasPrefix(name, "_ZSt") && strings.Contains(name, "__throw_")
}

// shortName returns the name of a function or variable as people write it, without parameters and hashes.
func shortName(name string) string {
	if !strings.HasPrefix(name, "_Z") && !strings.HasPrefix(name, "_R") {
		return name
	}
	short, err := demangle.ToString(name, demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams, demangle.MaxLength(10))
	if err != nil {
		return name
	}
	return short
}

// runtime returns the parts of runtime.txt that have one of the names.
func runtime(names map[string]bool) string {
	var out []string
	for i, part := range strings.Split(runtimeText, "\n\n") {
		wanted := i == 1 && len(names) > 0 // the type
		for name := range names {
			wanted = wanted || strings.Contains(part, name+"(")
		}
		if wanted {
			out = append(out, part+"\n")
		}
	}
	return strings.Join(out, "")
}
