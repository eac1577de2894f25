package translate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// TestOverflow: undefined arithmetic is an error if asked for, and wraps otherwise. The processor stops at
// a quotient that does not fit, so this is an error in any case.
func TestOverflow(t *testing.T) {
	const head = "#include <limits.h>\nint i, one = 1, neg = -1, top = INT_MAX, low = INT_MIN, width = 32;\n" +
		"long l, ltop = LONG_MAX, llow = LONG_MIN;\nunsigned u = 5;\nshort s = SHRT_MAX;\nunsigned char c = 255;\n"
	cases := []struct {
		code string
		want verdict.Verdict // with the check
	}{
		{"i = top + one;", verdict.Unsafe},
		{"i = low - one;", verdict.Unsafe},
		{"i = top * 2;", verdict.Unsafe},
		{"i = -low;", verdict.Unsafe},
		{"i = low / neg;", verdict.Unsafe},
		{"i = low % neg;", verdict.Unsafe},
		{"top++;", verdict.Unsafe},
		{"low -= 1;", verdict.Unsafe},
		{"i = one << width;", verdict.Unsafe},
		{"i = one >> neg;", verdict.Unsafe},
		{"u = u << width;", verdict.Unsafe},
		{"i = neg << 1;", verdict.Unsafe},
		{"i = one << 31;", verdict.Unsafe},
		{"l = ltop + one;", verdict.Unsafe},
		{"l = llow - one;", verdict.Unsafe},
		{"l = ltop * 2;", verdict.Unsafe},
		{"l = llow * neg;", verdict.Unsafe},
		{"l = neg * llow;", verdict.Unsafe},
		{"l = -llow;", verdict.Unsafe},
		{"l = llow / neg;", verdict.Unsafe},
		{"l = (long)one << 63;", verdict.Unsafe},
		{"i = one ? top + one : 0;", verdict.Unsafe},

		{"i = top - one; i = low + one; i = 46340 * 46340; i = -top; i = top / neg; i = neg >> 1;", verdict.Safe},
		{"l = ltop - one; l = llow + one; l = ltop * neg; l = llow * one; l = 0 * llow; l = -ltop; l = llow + ltop;", verdict.Safe},
		{"u = u - 6; u = u * u; u = u << 31; u = -u; u >>= 31;", verdict.Safe},
		{"s++; s = s * 2; c++; c = c << 4; i = (short)top; i = one << 30;", verdict.Safe},
		{"i = one ? 3 : top + one; i = one || top + one; i = neg > 0 && top + one;", verdict.Safe},
	}
	for _, c := range cases {
		text := fmt.Sprintf("%sint main(void) { %s return 0; }\n", head, c.code)
		for _, checked := range []bool{true, false} {
			opt := query.CheckOptions{Options: query.Defaults()}
			opt.Workers, opt.Timeout, opt.C.CheckOverflow = 1, 0, checked
			a, err := check.Run(context.Background(), query.Input{Name: "o.c", Text: []byte(text)}, opt.Under("sc"))
			if err != nil || a.HasErrors() {
				t.Fatalf("%s: %v %+v", c.code, err, a.Diagnostics)
			}
			want, question := verdict.Safe, verdict.Question("overflow")
			if stops := strings.ContainsAny(c.code, "/%"); checked || stops {
				want = c.want
				if !checked {
					question = "division-by-zero"
				}
			}
			r := a.Results[0]
			if r.Verdict != want || want == verdict.Unsafe && r.Question != question {
				t.Errorf("%s, checked %v: %s (%s), want %s", c.code, checked, r.Verdict, r.Question, want)
			}
		}
	}
}
