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

// fails is the call of a function that only a program with an error calls.
const fails = "fp_fails()"

// starts are functions of runtime.txt with which threads begin.
var starts = map[string]bool{"std_thread": true, "rust_thread": true, "rust_thread_begins": true}

// StartsThreads reports whether a thread with a name begins in a function of a library.
func StartsThreads(name string) bool {
	name, _, _ = strings.Cut(name, "#")
	return starts[name]
}

// replaced are functions of fencepost.h and fencepost.rs that have a body for runs without fencepost.
var replaced = map[string]bool{"fencepost_nondet": true, "fencepost_assume": true}

// panics are functions of Rust's library that only a panic calls, by how their names begin.
var panics = []string{
	"core::panicking::", "std::panicking::", "core::option::unwrap_failed", "core::option::expect_failed", "core::result::unwrap_failed",
	"core::cell::panic_", "core::slice::index::slice_", "std::thread::local::panic_access_error", "std::sync::lazy_lock::panic_poisoned", "core::num::from_ascii_radix_panic", "alloc::raw_vec::handle_error", "alloc::alloc::handle_alloc_error", "alloc::raw_vec::capacity_overflow",
}

// libraryFunction returns the prototype of a function of the library, nil if it is not known.
func libraryFunction(name string) *prototype {
	if pr := prototypes()[name]; pr != nil && !strings.HasPrefix(name, "fp_") {
		return pr
	}
	if pr := atomicFunction(name); pr != nil {
		return pr
	}
	if pr := standardException(name); pr != nil {
		return pr
	}
	if !strings.HasPrefix(name, "_R") && !strings.HasPrefix(name, "_ZN") && !strings.HasPrefix(name, "__rust") {
		return nil
	}
	short := shortName(name)
	for _, p := range panics {
		if strings.HasPrefix(short, p) && !isStatic(short) {
			return &prototype{name: name, result: "void", call: fails}
		}
	}
	if i := strings.LastIndex(short, "::"); i >= 0 && strings.HasPrefix(short, "__rustc") {
		short = short[i+2:]
	}
	if pr := prototypes()[rustNames[short]]; pr != nil {
		return pr
	}
	if strings.HasSuffix(short, "::drop_slow") && strings.Contains(name, "6thread6thread5Inner") {
		short = "Arc<Thread>::drop_slow"
	}
	if f, ok := rustStd[short]; ok {
		pr := *prototypes()[f.name]
		pr.rust = f.versions
		return &pr
	}
	return nil
}

// isStatic reports whether a name of Rust is that of a variable, by its letters.
func isStatic(short string) bool {
	last := short[strings.LastIndex(short, ":")+1:]
	return last != "" && last == strings.ToUpper(last) && last != strings.ToLower(last)
}

// ends are functions that do not return, and are not supported or an error.
var ends = map[string]bool{
	"__assert_fail": true, "abort": true, "exit": true, "_exit": true, "_Exit": true, "quick_exit": true, "pthread_exit": true, "thrd_exit": true,
	"reach_error": true, "__VERIFIER_error": true, "__cxa_bad_cast": true, "__cxa_bad_typeid": true,
}

// endsThere reports whether a function does not return: what comes after a call of it is other code.
func endsThere(name string) bool {
	if name == "" {
		return false
	}
	if pr := libraryFunction(name); pr != nil && pr.ends() {
		return true
	}
	return ends[name] || throws(name)
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
	if names["fp_thread_atexit"] {
		out = append(out, "#define FP_THREAD_ENDS\n")
	}
	for _, name := range []string{"fp_rust_thread", "fp_rust_park_thread", "fp_rust_park_here", "fp_rust_current", "fp_rust_begin", "fp_rust_scope_less", "fp_rust_park_some_time", "fp_rust_context",
		"fp_rust_old_handle", "fp_rust_old_set", "fp_rust_old_current", "fp_rust_old_park", "fp_rust_old_scope_less",
		"fp_rust_forget_thread", "fp_rust_name", "fp_rust_park_here_some_time", "fp_rust_old_park_some_time"} {
		if names[name] { // one part has all of them; fp_second has the second word of a result
			out = append(out, "#define FP_RUST_THREADS\n")
			names["fp_second"] = true
			break
		}
	}
	for i, part := range strings.Split(strings.TrimSuffix(runtimeText, "\n")+"\n\n"+runtimeCpp, "\n\n") {
		wanted := i == 1 && len(names) > 0 // the type
		for name := range names {
			wanted = wanted || strings.Contains(part, name+"(")
		}
		if wanted {
			out = append(out, strings.TrimSuffix(part, "\n")+"\n")
		}
	}
	return strings.Join(out, "")
}
