//go:build !fencepost_small

package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"fencepost/internal/pipeline"
	"fencepost/query"
)

// aboutSearch are options that do not change what an answer is about.
var aboutSearch = []string{"certified", "criterion", "criterion_model", "engines", "memory", "method", "models", "sc_engine", "timeout", "tool", "workers"}

// kept has the certificate that is stored about a question.
type kept struct {
	file     []byte // a certificate, nil if there is none
	optional bool   // an answer without a proof stays what it is
}

// timeToKeep is how long a proof may be searched that is only to be stored, where the answer took some seconds.
func timeToKeep(seconds float64) time.Duration {
	return time.Second + 4*time.Duration(seconds*float64(time.Second))
}

// runStored takes the answer from a certificate that is stored, or searches and stores one. Whatever is stored, it is checked
// before it counts.
func runStored(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	store := opt.Store
	opt.Store = nil
	if len(opt.Models) > 1 || opt.Finals || opt.KeepGoing || opt.CrossCheck || opt.Certificate != nil {
		return Run(ctx, in, opt)
	}
	key := storeKey(&in, &opt)
	k := &kept{file: store.Load(key)}
	proof := &bytes.Buffer{}
	opt.Certificate, k.optional = proof, !opt.Certified
	answer, err := answer(ctx, in, opt, k)
	if err == nil && proof.Len() > 0 {
		store.Save(key, proof.Bytes())
	}
	return answer, err
}

// storeKey names a question about a program. Files that the program includes are not part of it: the certificate has the sum
// of what was read.
func storeKey(in *query.Input, opt *query.CheckOptions) string {
	sum := sha256.New()
	for _, file := range append([]query.File{{Name: in.Name, Text: in.Text}}, in.More...) {
		fmt.Fprintf(sum, "%q %d\n", file.Name, len(file.Text))
		sum.Write(file.Text)
	}
	options := pipeline.NewAsked(Command, *opt).Options
	maps.DeleteFunc(options, func(name string, _ any) bool { return slices.Contains(aboutSearch, name) })
	text, err := json.Marshal(options)
	if err != nil {
		panic("BUG: options that are no JSON: " + err.Error())
	}
	fmt.Fprintf(sum, "%v %s", opt.Models.OrTSO(), text)
	return hex.EncodeToString(sum.Sum(nil))
}
