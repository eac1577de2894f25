package server

import (
	"encoding/binary"
	"os"
	"path/filepath"
)

// NATS keeps in a file which tasks of a queue it has given to workers. It believes the numbers in this file: where a
// count is damaged, it tries to read so many entries that it never starts. What NATS does not know about a queue it
// finds out again, so a file that cannot be right is removed before NATS reads it.

// dropDamaged removes the files about queues that cannot be right from a directory, and returns their names.
func dropDamaged(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*", "obs", "*", "o.dat"))
	var dropped []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil && plausible(data) {
			continue
		}
		if os.Remove(file) == nil {
			dropped = append(dropped, file)
		}
	}
	return dropped
}

// plausible reports whether a file about a queue has as many entries as it says: two bytes, four positions, then two
// lists, each after its length, of tasks that workers have and of tasks that were given more than once.
func plausible(data []byte) bool {
	const header, positions = 2, 4
	if len(data) < header {
		return false
	}
	data = data[header:]
	next := func() (uint64, bool) {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return 0, false
		}
		data = data[n:]
		return v, true
	}
	for range positions {
		if _, ok := next(); !ok {
			return false
		}
	}
	given, ok := next()
	if !ok {
		return len(data) == 0
	}
	// A task that a worker has takes three numbers, after one number for all.
	if given > 0 && !skip(given, 3, 1, uint64(len(data)), next) {
		return false
	}
	again, ok := next()
	return !ok || skip(again, 2, 0, uint64(len(data)), next)
}

// skip skips a list of entries with some numbers each, and more numbers before them. It reports whether they are all
// there.
func skip(entries, each, more, left uint64, next func() (uint64, bool)) bool {
	if entries > left {
		return false
	}
	for range entries*each + more {
		if _, ok := next(); !ok {
			return false
		}
	}
	return true
}
