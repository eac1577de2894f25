package verify

import (
	"context"
	"io"

	"fencepost/internal/certificate"
	"fencepost/internal/question/check"
	"fencepost/internal/question/lin"
	"fencepost/internal/question/robust"
	"fencepost/query"
)

// Certificate checks a certificate about a program. The options of the caller override stored ones.
func Certificate(ctx context.Context, in query.Input, file io.Reader, flags query.Options) (query.VerifyAnswer, error) {
	r, err := certificate.Open(file)
	if err != nil {
		return query.VerifyAnswer{}, &query.DamagedError{Why: err.Error()}
	}
	defer r.Close()
	if r.Asked == nil {
		return query.VerifyAnswer{}, &query.DamagedError{Why: certificate.ErrDamaged.Error()}
	}
	options := func(opt *query.Options, stored string) {
		override(opt, &flags)
		if flags.C.Include != nil {
			opt.C.Include = beside(stored, in.Name, flags.C.Include)
		}
	}
	switch r.Asked.Command {
	case check.Command:
		return check.VerifyCertificate(ctx, in, r, options)
	case lin.Command:
		return lin.VerifyCertificate(ctx, in, r, options)
	case robust.Command:
		return robust.VerifyCertificate(ctx, in, r, options)
	default:
		return query.VerifyAnswer{}, &query.DamagedError{Why: certificate.ErrDamaged.Error()}
	}
}
