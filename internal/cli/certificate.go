package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fencepost/query"
)

// certificateHead is how a certificate begins.
const certificateHead = "fencepost certificate "

// openCertificate opens a file that begins like a certificate; nil: it does not.
func openCertificate(name string) *os.File {
	info, err := os.Stat(name) // first, because opening a FIFO blocks
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil
	}
	head := make([]byte, len(certificateHead))
	if _, err := io.ReadFull(file, head); err != nil || string(head) != certificateHead {
		file.Close()
		return nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		file.Close()
		return nil
	}
	return file
}

// certificateFlag prepares the file of a certificate. The function that it returns writes the file, if there is a proof.
func certificateFlag(a *app, names []string, f *checkFlags) (func(), error) {
	name := f.certificate
	if f.cache != "" {
		if err := cacheFlag(f); err != nil {
			return nil, err
		}
	}
	switch {
	case f.opt.Certified && (f.parts.on() || f.opt.AnyThreads):
		return nil, &usageError{"--certified does not go with checkpoints, shards and --param: there are no proofs of such answers yet", "leave one of them out"}
	case name != "" && (f.parts.on() || f.opt.AnyThreads || len(f.binary) > 0):
		return nil, &usageError{"--certificate does not go with checkpoints, shards, --param and --binary", "leave one of them out"}
	}
	return proofFile(a, name, names, len(f.opt.Models), &f.opt.Proofs)
}

// proofFile prepares the file of a certificate about a program of these files and under so many models. The function that it
// returns writes the file, if there is a proof.
func proofFile(a *app, name string, names []string, models int, opt *query.Proofs) (func(), error) {
	switch {
	case name == "":
		return func() {}, nil
	case models != 1:
		return nil, &usageError{"--certificate writes the proof of one answer", "give one --model"}
	case name == "-":
		return nil, &usageError{"a certificate is no text and is not written to standard output", "give --certificate a file"}
	}
	if err := spares("--certificate", name, names); err != nil {
		return nil, err
	}
	if err := writable(name); err != nil {
		return nil, cannotWrite(name, err, "check the path given with --certificate")
	}
	proof := &bytes.Buffer{}
	opt.Certificate = proof
	return func() {
		if proof.Len() == 0 {
			fmt.Fprintf(a.stderr, "no certificate: the answer is not one that has a proof, or could not be certified\n")
			return
		}
		if err := os.WriteFile(name, proof.Bytes(), 0o666); err != nil {
			fmt.Fprintf(a.stderr, "cannot write %s: %v\n", name, err)
			a.code = exitUsage
		}
	}, nil
}

// cacheFlag prepares the directory of certificates.
func cacheFlag(f *checkFlags) error {
	switch {
	case len(f.opt.Models) != 1:
		return &usageError{"--cache keeps the proof of one answer", "give one --model"}
	case f.certificate != "" || f.parts.on() || f.opt.AnyThreads || len(f.binary) > 0 || f.opt.Finals || f.opt.KeepGoing || f.opt.CrossCheck:
		return &usageError{"--cache does not go with --certificate, --final-states, --keep-going, --cross-check, checkpoints, shards, --param and --binary", "leave one of them out"}
	}
	if err := os.MkdirAll(f.cache, 0o777); err != nil {
		return cannotWrite(f.cache, err, "check the path given with --cache")
	}
	return nil
}

// cachedName is the name of the certificate of a question about a program. Files that the program includes are not part
// of it: the certificate has the sum of what was read.
func cachedName(in *query.Input, f *checkFlags) string {
	sum := sha256.New()
	for _, file := range append([]query.File{{Name: in.Name, Text: in.Text}}, in.More...) {
		fmt.Fprintf(sum, "%q %d\n", file.Name, len(file.Text))
		sum.Write(file.Text)
	}
	fmt.Fprintf(sum, "%s %s %t %q %d %d %d %v", f.opt.Models[0], f.opt.Lang, f.opt.Deadlock, f.opt.Endless, f.opt.Buffer, f.opt.Unroll, f.opt.Threads, f.opt.C.NondetRange)
	return filepath.Join(f.cache, hex.EncodeToString(sum.Sum(nil))+".cert")
}

// checkCached takes the answer from a stored certificate, or searches and stores one. Whatever is stored, it is verified
// before it counts.
func checkCached(ctx context.Context, a *app, in query.Input, f *checkFlags) (query.Answer, error) {
	name, opt := cachedName(&in, f), f.opt
	if file := openCertificate(name); file != nil {
		defer file.Close()
		opt.Cached = file
	}
	proof := &bytes.Buffer{}
	opt.Certificate = proof
	answer, err := a.services.check(ctx, in, opt)
	if err != nil || proof.Len() == 0 {
		return answer, err
	}
	if err := replaceFile(name, func(w io.Writer) error {
		_, err := w.Write(proof.Bytes())
		return err
	}); err != nil {
		return answer, cannotWrite(name, err, "check the path given with --cache")
	}
	return answer, nil
}
