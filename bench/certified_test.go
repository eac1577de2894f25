package bench_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"strings"
	"testing"
	"time"

	"fencepost/internal/cli"
)

var certifyIn = flag.Duration("fp.certifyin", 20*time.Second, "the time limit for each client whose answer is certified")

// TestClientsCertified: how many of the safe answers about clients of public libraries have a proof. No answer is refuted,
// which would be an error, and what is unsafe has no proof.
func TestClientsCertified(t *testing.T) {
	clients := libraryClients(t)
	if clients == nil {
		t.Skip("no libraries here")
	}
	certified, safe := 0, 0
	ask := func(c asked, more ...string) (verdict, reason, kind string, size int, seconds float64) {
		var out, errs bytes.Buffer
		begun := time.Now()
		code := cli.Run(append(append([]string{"check", "--model", "tso", "--json", "--workers", "1"}, more...), c.args...), nil, &out, &errs)
		var answer struct {
			Results []struct {
				Verdict, Reason string
				Coverage        struct {
					Certificate *struct {
						Kind string
						Size int
					}
				}
			}
		}
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil || len(answer.Results) != 1 || code == 4 {
			t.Errorf("%s: exit code %d: %v\n%s", c.name, code, err, errs.String())
			return
		}
		r := answer.Results[0]
		if p := r.Coverage.Certificate; p != nil {
			kind, size = p.Kind, p.Size
		}
		return r.Verdict, r.Reason, kind, size, time.Since(begun).Seconds()
	}
	for _, c := range clients {
		verdict, _, _, _, search := ask(c, "--timeout", "60s")
		proved, reason, kind, size, both := ask(c, "--timeout", certifyIn.String(), "--certified")
		switch {
		case verdict == "safe" && proved == "safe" && kind != "":
			safe++
			certified++
		case verdict == "safe" && proved == "unknown":
			safe++
		case proved == "safe", kind != "", verdict != proved && proved != "unknown":
			t.Errorf("%s: %s, and with --certified %s (%s)", c.name, verdict, proved, kind)
		}
		reason, _, _ = strings.Cut(reason, "\n")
		t.Logf("%s: %s in %.1f s; --certified: %s in %.1f s, %s %d %s", c.name, verdict, search, proved, both, kind, size, reason)
	}
	t.Logf("%d of %d safe answers are certified", certified, safe)
}
