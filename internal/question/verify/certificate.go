package verify

import (
	"context"
	"io"

	"fencepost/internal/question/check"
	"fencepost/query"
)

// Certificate checks a certificate about a program. The options of the caller override stored ones.
func Certificate(ctx context.Context, in query.Input, file io.Reader, flags query.Options) (query.VerifyAnswer, error) {
	return check.VerifyCertificate(ctx, in, file, func(opt *query.Options, stored string) {
		override(opt, &flags)
		if flags.C.Include != nil {
			opt.C.Include = beside(stored, in.Name, flags.C.Include)
		}
	})
}
