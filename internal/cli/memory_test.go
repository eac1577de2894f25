package cli

import (
	"testing"
)

func TestHalfOfMemory(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"MemTotal:       16384 kB\nMemFree: 1 kB\n", 8 << 20},
		{"MemFree: 1 kB\n", fallbackMemory},
		{"MemTotal: much kB\n", fallbackMemory},
		{"", fallbackMemory},
	} {
		if got := halfOf(c.text); got != c.want {
			t.Errorf("%q: %d, want %d", c.text, got, c.want)
		}
	}
}

func TestGroupLimit(t *testing.T) {
	files := map[string]string{
		"/sys/fs/cgroup/user/one/memory.max":                  "max\n",
		"/sys/fs/cgroup/user/memory.max":                      "2097152\n",
		"/sys/fs/cgroup/memory.max":                           "4194304\n",
		"/sys/fs/cgroup/memory/old/memory.limit_in_bytes":     "1048576\n",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes":         "9223372036854771712\n",
		"/sys/fs/cgroup/strange/memory.max":                   "much\n",
		"/sys/fs/cgroup/memory/escape/memory.limit_in_bytes ": "1\n",
	}
	for _, c := range []struct {
		groups string
		want   int64
	}{
		{"0::/user/one\n", 2 << 20},
		{"0::/\n", 4 << 20},
		{"0::/host/path/that/is/not/here\n", 4 << 20},
		{"12:cpu,memory:/old\n3:cpu:/user\n", 1 << 20},
		{"12:memory:/\n", 0},
		{"0::/strange\n", 4 << 20},
		{"", 0},
		{"nonsense\n", 0},
	} {
		if got := groupLimit(c.groups, func(name string) string { return files[name] }); got != c.want {
			t.Errorf("%q: %d, want %d", c.groups, got, c.want)
		}
	}
}
