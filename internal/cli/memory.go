package cli

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// fallbackMemory is the limit where the machine does not tell how much it has.
const fallbackMemory = 4 << 30

// defaultMemory is half of the memory that this process may take: of the machine's, or of its control group's.
func defaultMemory() int64 {
	half := int64(fallbackMemory)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		half = halfOf(string(text))
	}
	if groups, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		if limit := groupLimit(string(groups), readFile); limit > 0 {
			half = min(half, limit/2)
		}
	}
	return half
}

func readFile(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// groupLimit returns the smallest limit of memory of the control groups of a process, 0 if there is none. groups has the
// text of /proc/self/cgroup, in version 1 (a line with the controller "memory") or 2 (a line with none).
func groupLimit(groups string, read func(name string) string) int64 {
	least := int64(0)
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, file := "/sys/fs/cgroup", "memory.max"
		switch {
		case parts[1] == "":
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			base, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// In a container the path may be that of the host, and the group is at the root.
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			if n, err := strconv.ParseInt(strings.TrimSpace(read(path.Join(base, at, file))), 10, 64); err == nil && n > 0 && n < noLimit && (least == 0 || n < least) {
				least = n
			}
			if at == "/" {
				break
			}
		}
	}
	return least
}

// noLimit is more than any machine has: version 1 says no limit by a large number.
const noLimit = 1 << 60

// halfOf reads what Linux says of its memory.
func halfOf(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		words := strings.Fields(line)
		if len(words) >= 2 && words[0] == "MemTotal:" {
			if kib, err := strconv.ParseInt(words[1], 10, 64); err == nil && kib > 0 {
				return kib << 10 / 2
			}
		}
	}
	return fallbackMemory
}
