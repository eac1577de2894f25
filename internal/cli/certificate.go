package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
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
	switch {
	case name == "":
		return func() {}, nil
	case len(f.opt.Models) != 1:
		return nil, &usageError{"--certificate writes the proof of one answer", "give one --model"}
	case name == "-":
		return nil, &usageError{"a certificate is no text and is not written to standard output", "give --certificate a file"}
	case f.parts.on() || f.opt.AnyThreads || len(f.binary) > 0:
		return nil, &usageError{"--certificate does not go with checkpoints, shards, --param and --binary", "leave one of them out"}
	}
	if err := spares("--certificate", name, names); err != nil {
		return nil, err
	}
	if err := writable(name); err != nil {
		return nil, cannotWrite(name, err, "check the path given with --certificate")
	}
	proof := &bytes.Buffer{}
	f.opt.Certificate = proof
	return func() {
		if proof.Len() == 0 {
			fmt.Fprintf(a.stderr, "no certificate: the answer is not safe, or could not be certified\n")
			return
		}
		if err := os.WriteFile(name, proof.Bytes(), 0o666); err != nil {
			fmt.Fprintf(a.stderr, "cannot write %s: %v\n", name, err)
			a.code = exitUsage
		}
	}, nil
}
