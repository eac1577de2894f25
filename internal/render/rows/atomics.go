//go:build !fencepost_small

package rows

import (
	"regexp"
	"strings"
)

// Short forms of C's atomic operations: store(hazard, p, release) for
// atomic_store_explicit(&hazard, p, memory_order_release). The names come from C11 and from
// gcc's builtins.

var atomicName = regexp.MustCompile(`\b(?:` +
	`(?:std::)?atomic_(store|load|exchange|compare_exchange_strong|compare_exchange_weak|fetch_(?:add|sub|or|xor|and))(?:_explicit)?` +
	`|__atomic_(store|load|exchange|compare_exchange)(?:_n)?` +
	`|__atomic_((?:fetch_)?(?:add|sub|or|xor|and|nand)(?:_fetch)?)` +
	`|atomic_flag_(test_and_set|clear)(?:_explicit)?` +
	`|__atomic_(test_and_set|clear)` +
	`|(?:atomic|__atomic)_(thread_fence|signal_fence)` +
	`)\s*\(\s*(&?)\s*`)

var orderName = regexp.MustCompile(`\b(?:memory_order_|__ATOMIC_)(relaxed|consume|acquire|release|acq_rel|seq_cst|RELAXED|CONSUME|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b`)

// ShortForm returns a statement with its atomic operations in their short form.
func ShortForm(text string) string {
	short := atomicName.ReplaceAllStringFunc(text, func(match string) string {
		parts := atomicName.FindStringSubmatch(match)
		name := ""
		for _, p := range parts[1 : len(parts)-1] {
			if p != "" {
				name = p
			}
		}
		switch name {
		case "thread_fence":
			name = "fence"
		case "compare_exchange_strong":
			name = "compare_exchange"
		}
		return name + "("
	})
	if short == text {
		return text
	}
	return orderName.ReplaceAllStringFunc(short, func(match string) string {
		return strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(match, "memory_order_"), "__ATOMIC_"))
	})
}
