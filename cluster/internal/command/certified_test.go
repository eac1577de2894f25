package command

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"
)

// TestCertified: workers make the parts of a proof, also where some are killed, and the certificate that the asker puts
// together is accepted. Where no tree is possible the asker has another proof.
func TestCertified(t *testing.T) {
	rng := rand.New(rand.NewSource(*seed))
	c := startCluster(t, 2)
	for _, f := range []struct {
		name, text string
		n          int
		model      query.Model
		kind       string // of the proof; "": the program is unsafe
	}{
		{"fib", "", 3, query.SC, "classes"}, {"ainc", "", 5, query.TSO, "classes"}, {"lastzero", "", 5, query.PSO, "classes"},
		{"lastzero", "", 4, query.C11, "classes"}, {"passes", passes, 0, query.TSO, ""}, {"waits", waits, 0, query.TSO, "ranks"},
	} {
		text := f.text
		if text == "" {
			var err error
			if text, err = fencepost.Generate(f.name, f.n); err != nil {
				t.Fatal(err)
			}
		}
		dir := t.TempDir()
		file, proof := filepath.Join(dir, f.name+".fp"), filepath.Join(dir, "proof")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		exit := killing(t, c, rng, &out, &errs, "check", file, "--server", c.url, "--json", "--slice", "20ms", "--ack-wait", "300ms",
			"--slice-executions", "30", "--deadlock", "--model", string(f.model), "--certificate", proof)
		results, err := render.ReadJSON(out.Bytes())
		if err != nil || len(results) != 1 {
			t.Fatalf("%s: exit %d, %v\n%s%s", f.name, exit, err, out.Bytes(), errs.Bytes())
		}
		r := results[0]
		certificate, err := os.ReadFile(proof)
		if r.Verdict == verdict.Unsafe && f.kind == "" {
			if err == nil && len(certificate) > 0 {
				t.Errorf("%s: an unsafe answer has a certificate", f.name)
			}
			continue
		}
		if r.Verdict != verdict.Safe || r.Coverage.Certificate == nil || r.Coverage.Certificate.Kind != f.kind || err != nil {
			t.Errorf("%s: %s (%s), %+v, %v\n%s", f.name, r.Verdict, r.Reason, r.Coverage.Certificate, err, errs.Bytes())
			continue
		}
		answer, err := fencepost.VerifyCertificate(t.Context(), query.Input{Name: file, Text: []byte(text)}, bytes.NewReader(certificate), query.Options{})
		if err != nil || len(answer.Checks) != 1 || answer.Checks[0].Err != nil {
			t.Errorf("%s: the certificate is refused: %v %+v", f.name, err, answer.Checks)
		}
		t.Logf("%s under %s: %d elements, %d bytes", f.name, r.Model, r.Coverage.Certificate.Size, len(certificate))
	}
}

// killing runs a command, kills workers or the server twice meanwhile, and returns the exit code.
func killing(t *testing.T, c *cluster, rng *rand.Rand, out, errs *bytes.Buffer, args ...string) int {
	t.Helper()
	for {
		out.Reset()
		errs.Reset()
		cmd := command(t, args...)
		cmd.Stdout, cmd.Stderr = out, errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		for running, kills := true, 0; running; {
			select {
			case <-done:
				running = false
			case <-time.After(time.Duration(100+rng.Intn(400)) * time.Millisecond):
				if kills++; kills <= 2 {
					c.killOne(rng)
				}
			}
		}
		if !away(errs) {
			return cmd.ProcessState.ExitCode()
		}
	}
}

// passes has a load that passes a store.
const passes = "program passes\nvar x, y, a, b;\nthread p { reg r; x = 1; r = y; a = r + 1; }\nthread q { reg r; y = 1; r = x; b = r + 1; }\nnever a == 1 && b == 1;\n"

// waits has a loop that waits, whose end is proved by numbers and not by a tree.
const waits = "program waits\nvar flag, data;\nthread p { data = 1; flag = 1; }\nthread q { reg r; while (flag == 0) { } r = data; assert r == 1; }\n"
