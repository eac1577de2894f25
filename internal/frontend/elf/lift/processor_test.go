package lift

import (
	"bufio"
	"encoding/binary"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// processor runs code on the processor, in a program of its own: testdata/runner.c.
type processor struct {
	in  *bufio.Writer
	out *bufio.Reader
	cmd *exec.Cmd
	end io.Closer
}

func newProcessor(t testing.TB) *processor {
	t.Helper()
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("this is no x86-64 with Linux")
	}
	bin := filepath.Join(t.TempDir(), "runner")
	if msg, err := exec.Command(tool(t, "gcc"), "-O1", "-o", bin, "testdata/runner.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	p := &processor{cmd: exec.Command(bin)}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.in, p.out, p.end = bufio.NewWriterSize(in, 1<<16), bufio.NewReaderSize(out, 1<<16), in
	t.Cleanup(func() {
		p.end.Close()
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("the program that runs the cases: %v", err)
		}
	})
	return p
}

// words returns the words of a state, in the order in which they are sent.
func (s *state) words() []*uint64 {
	out := make([]*uint64, 0, len(s.Regs)+len(s.Vectors)+2)
	for i := range s.Regs {
		out = append(out, &s.Regs[i])
	}
	for i := range s.Vectors {
		out = append(out, &s.Vectors[i])
	}
	return append(out, &s.Flags, &s.Fault)
}

// send writes a state as the program reads it, by hand: encoding/binary takes most of the time of a case.
func (s *state) send(w *bufio.Writer, buf []byte) error {
	buf = buf[:0]
	for _, v := range s.words() {
		buf = binary.LittleEndian.AppendUint64(buf, *v)
	}
	_, err := w.Write(append(buf, s.Memory[:]...))
	return err
}

// receive reads a state.
func (s *state) receive(r *bufio.Reader, buf []byte) error {
	words := s.words()
	buf = buf[:8*len(words)]
	if _, err := io.ReadFull(r, buf); err != nil {
		return err
	}
	for i, v := range words {
		*v = binary.LittleEndian.Uint64(buf[8*i:])
	}
	_, err := io.ReadFull(r, s.Memory[:])
	return err
}

// stateBytes is more than a state takes.
const stateBytes = memorySize + 1024

// batch runs code in states, which are replaced by the results.
func (p *processor) batch(states []*state, code []byte) error {
	failed := make(chan error, 1)
	sent := make(chan int, len(states)) // a state is overwritten when it has been sent
	go func() {
		defer close(sent)
		head := binary.LittleEndian.AppendUint64(nil, uint64(len(states)))
		head = binary.LittleEndian.AppendUint64(head, uint64(len(code)))
		p.in.Write(append(head, code...)) // the writer keeps its error
		buf := make([]byte, stateBytes)
		for i, s := range states {
			if err := s.send(p.in, buf); err != nil {
				failed <- err
				return
			}
			sent <- i
		}
		failed <- p.in.Flush()
	}()
	buf := make([]byte, stateBytes)
	for i := range sent {
		if err := states[i].receive(p.out, buf); err != nil {
			return err
		}
	}
	return <-failed
}
