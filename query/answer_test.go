package query_test

import (
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// TestHasErrors: every answer says that its input was refused, if and only if a diagnostic is an error.
func TestHasErrors(t *testing.T) {
	for severity, want := range map[verdict.Severity]bool{verdict.SeverityWarning: false, verdict.SeverityError: true} {
		all := []verdict.Diagnostic{{Severity: verdict.SeverityWarning}, {Severity: severity}}
		for _, answer := range []interface{ HasErrors() bool }{
			query.Answer{Diagnostics: all}, query.TextAnswer{Diagnostics: all}, query.TraceAnswer{Diagnostics: all},
			query.StateAnswer{Diagnostics: all}, &query.VerifyAnswer{Diagnostics: all},
		} {
			if got := answer.HasErrors(); got != want {
				t.Errorf("%T with %s: %v, want %v", answer, severity, got, want)
			}
		}
	}
}
