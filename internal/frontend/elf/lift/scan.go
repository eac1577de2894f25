package lift

import "golang.org/x/arch/x86/x86asm"

// Scan returns the length of the instruction at the beginning of code, and the addresses outside the code that it may
// refer to without a relocation: of an operand relative to the instruction, displacements and immediate numbers. ok is
// false if the bytes are no instruction that the decoder knows.
func Scan(code []byte, addr uint64) (length int, refers []uint64, ok bool) {
	code = code[:min(len(code), 15)]
	if in := special(code, addr); in != nil {
		return len(in.Bytes), nil, true
	}
	in, err := x86asm.Decode(code, 64)
	if err != nil || in.Len == 0 || in.Len > len(code) {
		return 1, nil, false
	}
	for _, a := range in.Args {
		switch a := a.(type) {
		case x86asm.Mem:
			disp := int64(int32(a.Disp))
			if a.Base == x86asm.RIP {
				disp += int64(addr) + int64(in.Len)
			}
			refers = append(refers, uint64(disp))
		case x86asm.Imm:
			refers = append(refers, uint64(a))
		}
	}
	return in.Len, refers, true
}
