package bench_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

var (
	newOptions = flag.String("fp.newoptions", "", "options that only the new binary is given, about C programs: defaults that changed")
	moreC      = flag.String("fp.more", "", "folders with more C programs, separated by commas")
)

// verdictQuestions are asked about every C program, each with a limit of time of the tool's own.
var verdictQuestions = [][]string{
	{"check", "--engine", "explicit", "--model", "sc,tso,pso", "--timeout", "10s"},
	{"check", "--engine", "smc", "--model", "sc,tso,pso", "--timeout", "10s"},
	{"robust", "--timeout", "10s"},
}

// TestVerdicts asks two binaries about every C program of the repository and of the folders -fp.more, and compares
// verdicts only, so that it may span commits whose texts, counts or defaults differ: each program whose verdict is
// another one is listed. A definite answer in the stead of an unknown one, or of a refusal, is counted apart.
func TestVerdicts(t *testing.T) {
	if *oldBinary == "" || *newBinary == "" {
		t.Skip("no binaries to compare: make verdicts OLD=COMMIT")
	}
	programs := answerPrograms(t, t.TempDir())
	for _, dir := range strings.FieldsFunc(*moreC, func(r rune) bool { return r == ',' }) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.c"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no C programs (%v)", dir, err)
		}
		for _, path := range paths {
			programs = append(programs, answerProgram{name: path})
		}
	}
	equal, decided, lost, differ := 0, 0, 0, 0
	for _, p := range programs {
		if filepath.Ext(p.name) != ".c" || !strings.Contains(p.name, *answerOnly) {
			continue
		}
		for _, q := range verdictQuestions {
			args := append(append([]string{q[0], filepath.Base(p.name), "--json", "--workers", "1"}, q[1:]...), p.options...)
			old, ok := answerOf(t, *oldBinary, filepath.Dir(p.name), args)
			if !ok {
				continue
			}
			got, _ := answerOf(t, *newBinary, filepath.Dir(p.name), append(args, strings.Fields(*newOptions)...))
			was, is := verdictsOf(old), verdictsOf(got)
			for _, model := range []string{"sc", "tso", "pso"} {
				a, b := was[model], is[model]
				switch {
				case a == b:
					equal++
				case a == "" || a == "unknown":
					decided++
				case b == "" || b == "unknown":
					lost++
					t.Logf("%s %s under %s: %s, and %q now", filepath.Base(p.name), strings.Join(q, " "), model, a, b)
				default:
					differ++
					t.Errorf("%s %s under %s: %s, and %s now", filepath.Base(p.name), strings.Join(q, " "), model, a, b)
				}
			}
		}
	}
	t.Logf("%d answers are equal, %d are definite now, %d were definite, %d differ", equal, decided, lost, differ)
	if equal == 0 {
		t.Error("no answer is equal")
	}
}

// verdictsOf are the verdicts of an answer by model.
func verdictsOf(answer any) map[string]string {
	out := map[string]string{}
	whole, _ := answer.(map[string]any)
	stdout, _ := whole["stdout"].(map[string]any)
	results, _ := stdout["results"].([]any)
	for _, r := range results {
		result, _ := r.(map[string]any)
		out[fmt.Sprint(result["model"])] = fmt.Sprint(result["verdict"])
	}
	return out
}
