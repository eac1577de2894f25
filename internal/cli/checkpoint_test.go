package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"fencepost"
)

var kills = flag.Int("fp.kills", 3, "how often a check is killed that stores checkpoints")

// explored has what two runs of a check must agree on.
type explored struct {
	Verdict string
	Stats   struct {
		Executions, Transitions, Depth int64
		FinalStates                    int64 `json:"final_states"`
		Fingerprint                    string
	}
}

func exploredIn(t *testing.T, text []byte) explored {
	t.Helper()
	var answer struct{ Results []explored }
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Results) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return answer.Results[0]
}

// family writes a member of a family to a file, with a condition that holds.
func familyFile(t *testing.T, name string, n int) string {
	t.Helper()
	text, err := fencepost.Generate(name, n)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "assert") && !strings.Contains(text, "never") && !strings.Contains(text, "goal") {
		text += "\nthread nothing { assert 1 == 1; }\n"
	}
	file := filepath.Join(t.TempDir(), fmt.Sprintf("%s%d.fp", name, n))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestResumeAfterKill: a check that is killed at random moments, and continues from its checkpoints, answers as one that
// is never interrupted.
func TestResumeAfterKill(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can be killed from here")
	}
	file := familyFile(t, "lastzero", 11)
	whole, err := exec.Command("fencepost", "check", file, "--engine", "rf", "--unroll", "16", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := exploredIn(t, whole)
	if want.Stats.Fingerprint == "" || want.Stats.Executions < 1000 {
		t.Fatalf("%s", whole)
	}
	rng := rand.New(rand.NewPCG(7, uint64(*kills)))
	for killed, stored := 0, 0; killed < *kills || stored == 0; {
		name := filepath.Join(t.TempDir(), "check.fpc")
		for {
			flag := "--resume"
			if _, err := os.Stat(name); err != nil {
				flag = "--checkpoint"
			} else {
				stored++
			}
			cmd := exec.Command("fencepost", "check", file, flag, name, "--unroll", "16", "--checkpoint-every", "10ms", "--json", "--workers", fmt.Sprint(1+rng.IntN(3)))
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(rng.IntN(150))*time.Millisecond, func() { cmd.Process.Kill() })
			if killed >= *kills && stored > 0 {
				timer.Stop()
			}
			err := cmd.Wait()
			timer.Stop()
			if err == nil {
				if got := exploredIn(t, out.Bytes()); got != want {
					t.Fatalf("after %d kills: %+v, want %+v", killed, got, want)
				}
				break
			}
			if code := cmd.ProcessState.ExitCode(); code >= 0 {
				t.Fatalf("exit code %d: %s", code, out.Bytes())
			}
			killed++
		}
	}
}

// TestCheckpointRefusals: damaged checkpoints, and those of another question, are refused.
func TestCheckpointRefusals(t *testing.T) {
	file, other := familyFile(t, "sbn", 4), familyFile(t, "sbn", 5)
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	if code, out := runHere(t, "check", file, "--checkpoint", good); code != exitHolds {
		t.Fatal(out)
	}
	if code, out := runHere(t, "check", file, "--resume", good); code != exitHolds || !strings.Contains(out, "safe") {
		t.Errorf("a finished check: %s", out)
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	refused := func(what, want string, args ...string) {
		t.Helper()
		if code, out := runHere(t, args...); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d: %s", what, code, out)
		}
	}
	for n := range data {
		if n%7 > 0 && n < len(data)-80 {
			continue
		}
		changed := bytes.Clone(data)
		changed[n] ^= 1
		for what, text := range map[string][]byte{"truncated": data[:n], "changed": changed} {
			if err := os.WriteFile(bad, text, 0o600); err != nil {
				t.Fatal(err)
			}
			refused(fmt.Sprintf("%s at %d", what, n), "not a checkpoint, or a damaged one", "check", file, "--resume", bad)
		}
	}
	refused("another program", "another program", "check", other, "--resume", good)
	refused("another model", "another memory model", "check", file, "--model", "pso", "--resume", good)
	refused("other options", "other options", "check", file, "--deadlock", "--resume", good)
	refused("no file", "no such file", "check", file, "--resume", filepath.Join(dir, "none"))
	refused("a file that exists", "exists", "check", file, "--checkpoint", good)
	refused("another engine", "--engine explicit", "check", file, "--engine", "explicit", "--checkpoint", filepath.Join(dir, "new"))
	refused("another engine", "--engine smc", "check", file, "--engine", "smc", "--checkpoint", filepath.Join(dir, "new"))
	refused("several models", "several memory models", "check", file, "--model", "sc,tso", "--checkpoint", filepath.Join(dir, "new"))
}

// runHere runs fencepost in this process.
func runHere(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := Run(withoutLimit(args), strings.NewReader(""), &out, &out)
	return code, out.String()
}
