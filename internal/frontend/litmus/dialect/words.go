//go:build !fencepost_small

package dialect

import "fencepost/internal/lazyregexp"

// Two sets of words overlap: C11's <stdatomic.h> and the Linux kernel's atomics,
// which have functions of the same names with other parameters. A test that speaks
// of atomic_t or of an operation that only the kernel has is the kernel's.

var (
	kernelAtomics = lazyregexp.New(`\b(atomic(64|_long)?_(t|read|set|inc|dec|add|sub|and|or|xor|andnot|xchg|cmpxchg|try_cmpxchg)|` +
		`atomic(64|_long)?_(read|set|add|sub|inc|dec|fetch|xchg|cmpxchg|try)_\w+(relaxed|acquire|release)|` +
		`atomic(64|_long)?_\w+_(return|and_test|negative|unless|not_zero|fetch_inc|fetch_dec))\b`)
	c11Atomics = lazyregexp.New(`\b(atomic_(u?(char|short|int|long|llong)|bool|flag|\w+_explicit|load|store|exchange|compare_exchange_(strong|weak)|thread_fence)|memory_order_\w+|_Atomic)\b`)
)

// kernelWords are words of the kernel that mean the same beside C11's atomics.
var kernelWords = lazyregexp.New(`\b(READ_ONCE|WRITE_ONCE|ACCESS_ONCE|smp_\w+|s?rcu_\w+|synchronize_s?rcu\w*|cmpxchg\w*|xchg\w*|spin_(un)?lock\w*|spin_trylock)\b`)

// SpeaksKernel reports whether a test has words of the kernel and none of C11.
func SpeaksKernel(code []byte) bool {
	_, c11 := AtomicWords(code)
	return c11 == nil && kernelWords.Match(code)
}

// AtomicWords returns where the first words of the kernel and of C11 are, nil where there is none.
func AtomicWords(code []byte) (kernel, c11 []int) {
	return kernelAtomics.FindIndex(code), c11Atomics.FindIndex(code)
}
