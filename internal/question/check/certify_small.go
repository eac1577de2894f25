//go:build fencepost_small

package check

import (
	"context"

	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// fromCertificate finds nothing: this build reads no certificates.
func fromCertificate(context.Context, *question) *verdict.Result { return nil }

// certify has nothing to do: this build makes no certificates.
func certify(context.Context, *question, *pipeline.Run, *verdict.Result) error { return nil }

// MadeProof and proofSubject are nothing in this build.
type (
	MadeProof    struct{}
	proofSubject struct{}
)

func (*Exploration) prepareProof() {}
