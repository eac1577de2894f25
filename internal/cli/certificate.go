package cli

import (
	"bytes"
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
		if err := cacheFlag(a, f); err != nil {
			return nil, err
		}
	}
	wanted := f.opt.Certified || name != ""
	switch {
	case name != "" && f.parts.shard.n > 0:
		return nil, &usageError{"a shard has a part of the proof, which is no certificate", "give --certified here, and --certificate to `fencepost report --merge`"}
	case wanted && f.opt.AnyThreads:
		return nil, &usageError{"there are no certificates with --param", "`fencepost prove` has proofs for any number of threads, which z3 and cvc5 check"}
	case name != "" && len(f.binary) > 0:
		return nil, &usageError{"--certificate writes the proof of one answer, and --binary gives two", "ask about the source and the machine code one after the other"}
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
func cacheFlag(a *app, f *checkFlags) error {
	switch {
	case len(f.opt.Models) != 1:
		return &usageError{"--cache keeps the proof of one answer", "give one --model"}
	case f.certificate != "" || f.parts.on() || f.opt.AnyThreads || len(f.binary) > 0 || f.opt.Finals || f.opt.KeepGoing || f.opt.CrossCheck:
		return &usageError{"--cache does not go with --certificate, --final-states, --keep-going, --cross-check, checkpoints, shards, --param and --binary", "leave one of them out"}
	}
	var err error
	f.opt.Store, err = openDirectory(a, f.cache)
	return err
}

// certificateDirectory keeps certificates in files.
type certificateDirectory struct {
	a    *app
	path string
}

// Load returns a certificate, or nil.
func (d certificateDirectory) Load(key string) []byte {
	file := openCertificate(filepath.Join(d.path, key+".cert"))
	if file == nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return nil
	}
	return text
}

// Save writes a certificate. What cannot be written is searched again the next time.
func (d certificateDirectory) Save(key string, certificate []byte) {
	name := filepath.Join(d.path, key+".cert")
	err := replaceFile(name, func(w io.Writer) error {
		_, err := w.Write(certificate)
		return err
	})
	if err != nil {
		fmt.Fprintf(d.a.stderr, "cannot write %s: %v\n", name, err)
	}
}

// openDirectory makes the directory if it is not there.
func openDirectory(a *app, path string) (query.CertificateStore, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, cannotWrite(path, err, "check the path given with --cache")
	}
	return certificateDirectory{a, path}, nil
}
