package cli

import (
	"os"
	"strconv"
	"strings"
)

// fallbackMemory is the limit where the machine does not tell how much it has.
const fallbackMemory = 4 << 30

// defaultMemory is half of the machine's memory.
func defaultMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return fallbackMemory
	}
	return halfOf(string(text))
}

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
