//go:build unix

package command

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"
)

var damages = flag.Int("fp.damages", 5, "how many stores are damaged")

// fate is how a check ended whose server was damaged.
type fate string

const (
	same   fate = "equal"
	honest fate = "honest error"
	before fate = "equal, before the damage"
)

// maxReports bounds how long a check may go on, in its own reports: it makes one every few seconds and has a patience of a few.
const maxReports = 60

// ending waits for the end of a check. It must be the answer of a single run, or say what is wrong; its end is awaited for
// a number of reports.
func (r *run) ending(s sample) (fate, error) {
	for {
		select {
		case <-r.done:
			return r.fate(s)
		case <-time.After(50 * time.Millisecond):
		}
		if strings.Count(r.said.String(), "\n") > maxReports {
			return "", fmt.Errorf("the check does not end:\n%s", &r.said)
		}
	}
}

func (r *run) fate(s sample) (fate, error) {
	code := r.cmd.ProcessState.ExitCode()
	results, err := render.ReadJSON([]byte(r.out.String()))
	switch {
	case code == 3 && r.said.String() != "":
		return honest, nil
	case err != nil:
		return "", fmt.Errorf("exit %d, %w\n%s%s", code, err, &r.out, &r.said)
	case code == 2 && len(results) == 1 && results[0].Verdict == verdict.Unknown && results[0].Reason != "":
		return honest, nil
	}
	if got := summarize(results); got != s.want {
		return "", fmt.Errorf("exit %d\ngot  %s\nwant %s\n%s", code, got, s.want, &r.said)
	}
	return same, nil
}

// damage damages a file of a directory, and says how. It returns "" if there is none.
func damage(rng *rand.Rand, dir string) string {
	var files []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	if len(files) == 0 {
		return ""
	}
	// Half of the damage is to what is kept for the check alone.
	if rng.Intn(2) == 0 {
		if mine := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !strings.Contains(f, "fp_tasks_") && !strings.Contains(f, "fp_records_") }); len(mine) > 0 {
			files = mine
		}
	}
	file := files[rng.Intn(len(files))]
	name, _ := filepath.Rel(dir, file)
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	how := ""
	switch kind := rng.Intn(4); {
	case kind == 0 || len(data) == 0:
		how, err = "removed", os.Remove(file)
	case kind == 1:
		n := rng.Intn(len(data))
		how, err = fmt.Sprintf("cut to %d of %d bytes", n, len(data)), os.Truncate(file, int64(n))
	default:
		bit := rng.Intn(8 * len(data))
		data[bit/8] ^= 1 << (bit % 8)
		how, err = fmt.Sprintf("bit %d flipped", bit), os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		how = err.Error()
	}
	return name + ": " + how
}

// begun waits until the streams of a check are there. It reports whether the check has ended.
func (r *run) begun(c *cluster) bool {
	for {
		select {
		case <-r.done:
			return true
		case <-time.After(20 * time.Millisecond):
		}
		list, _ := filepath.Glob(filepath.Join(c.store(), "jetstream", "*", "streams", "fp_tasks_*", "msgs", "*.blk"))
		if len(list) > 0 {
			return false
		}
	}
}

// TestDamage kills the server while a check runs, damages files of its store, and starts it again. The answer is that of a
// single run, or says what is wrong.
func TestDamage(t *testing.T) {
	rng := rand.New(rand.NewSource(*seed))
	text, err := fencepost.Generate("fib", 5)
	if err != nil {
		t.Fatal(err)
	}
	s := newSample(t, "fib.fp", text, query.CheckOptions{Models: []query.Model{query.TSO}, Deadlock: true}, "--deadlock", "--slice-executions", "100")
	fates := map[fate]int{}
	longest := 1500 * time.Millisecond
	for round := 0; round < *damages; {
		c := &cluster{t: t, dir: t.TempDir(), address: freeAddress(t)}
		c.url = "nats://" + c.address
		c.startServer()
		asked := c.ask(s, "--patience", "20s")
		worker := start(t, "worker", "--join", c.url, "--slots", "2")
		ended := asked.begun(c)
		time.Sleep(time.Duration(rng.Int63n(int64(longest))))
		c.server.kill()
		var done []string
		for range 1 + rng.Intn(3) {
			done = append(done, damage(rng, filepath.Join(c.store(), "jetstream")))
		}
		select {
		case <-asked.done:
			ended = true
		default:
		}
		server := start(t, "serve", "--listen", c.address, "--dir", c.store())
		end, err := asked.ending(s)
		select {
		case <-server.done: // it may refuse what is damaged
			if server.code() != 3 || server.said.String() == "" {
				t.Errorf("round %d: %q: the server ended with %d:\n%s", round, done, server.code(), &server.said)
			}
		default:
		}
		if err != nil {
			t.Errorf("round %d: %q: %v\nserver:\n%s\nworker:\n%s", round, done, err, &server.said, &worker.said)
		}
		if ended { // this round showed nothing: the next one damages earlier
			if end != same {
				t.Errorf("round %d: a check without damage: %s\n%s%s", round, end, &asked.out, &asked.said)
			}
			if longest /= 2; longest < time.Millisecond {
				t.Fatal("every check ends before its store is damaged")
			}
			end = before
		} else {
			round++
		}
		fates[end]++
		t.Logf("round %d: %q: %s", round, done, end)
		if end == honest {
			t.Logf("%.300s%.300s", &asked.out, &asked.said)
		}
		for _, r := range []*run{asked, worker, server} {
			r.kill()
		}
	}
	t.Logf("%v", fates)
}
