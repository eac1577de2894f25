package translate

import (
	"math"
	"strings"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// System calls, the time stamp counter, the stack and blocks of memory in assembly.

// systemCall is the function of the library, in C, that assembly calls.
const systemCall = "__fp_system_call"

// declaredRegister returns the register that a variable is declared to be in, "" if there is none.
func (b *asmBlock) declaredRegister(e *parse.Expr) string {
	if d := VariableOf(e); d != nil {
		if v, ok := asmRegisters[strings.Trim(d.Asm, "%")]; ok && !v.high {
			return v.name
		}
	}
	return ""
}

// callLibrary calls a function of the library and returns its result.
func (b *asmBlock) callLibrary(name string, args ...*ir.Expr) *ir.Expr {
	s := b.Syms.InLibrary(name)
	if s == nil {
		b.In.Refuse(codeAsm, b.stmt, "this assembly is not supported here")
	}
	op := ir.NewOp(ir.Call)
	op.Call.Func, op.Call.Args, op.Dst = b.Syms.Function(s).ID, args, b.Code.Temp()
	b.Code.Emit(op)
	return ir.R(op.Dst)
}

// makeSystemCall is syscall: the number is in rax, the arguments are in six registers, and the result,
// which may be the negative number of an error, comes back in rax.
func makeSystemCall(in *asmInstruction) {
	args := []*ir.Expr{in.Read(x86.RAX, 64)}
	for _, name := range []string{"rdi", "rsi", "rdx", "r10", "r8", "r9"} {
		if r := in.register(name); in.machine.written[r] {
			args = append(args, ir.R(r))
		} else {
			args = append(args, ir.Int(0))
		}
	}
	in.set(in.register("rax"), ir.U64, false, in.callLibrary(systemCall, args...))
}

// readTimeStamp is rdtsc and rdtscp.
func readTimeStamp(in *asmInstruction, name string) {
	t := in.Keep(in.Code.AnyTime(in.stmt, math.MaxInt64))
	in.set(in.register("rax"), ir.U32, false, t)
	in.set(in.register("rdx"), ir.U32, false, ir.Binary(ir.Shr, ir.U64, t, ir.Int(32)))
	if name == "rdtscp" {
		in.set(in.register("rcx"), ir.U32, false, ir.Int(0))
	}
}

// asmPushed is a value on the stack. Between push and pop there must be no jump: which value is on top is
// known from the text alone.
type asmPushed struct{ value *ir.Expr }

// pushOrPop is push or pop.
func pushOrPop(in *asmInstruction, name string) {
	for _, l := range in.lines {
		if asmJump.MatchString(l.text) {
			in.unsupported()
		}
	}
	in.typ = ir.U64
	if name == "push" {
		a := &in.args[0]
		if a.reg != ir.NoReg && !in.machine.written[a.reg] { // a register of the code around
			in.stack = append(in.stack, asmPushed{})
			return
		}
		in.stack = append(in.stack, asmPushed{in.Keep(in.read(0))})
		return
	}
	if len(in.stack) == 0 {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q takes from the stack what the statement did not put there", in.text)
	}
	top := in.stack[len(in.stack)-1]
	in.stack = in.stack[:len(in.stack)-1]
	if top.value == nil {
		if a := &in.args[0]; a.reg != ir.NoReg {
			delete(in.machine.written, a.reg)
			return
		}
		in.unsupported()
	}
	in.write(0, top.value)
}

// asmBlocks are the instructions that copy or fill memory.
var asmBlocks = map[string]ir.Type{
	"movsb": ir.U8, "movsw": ir.U16, "movsl": ir.U32, "movsq": ir.U64,
	"stosb": ir.U8, "stosw": ir.U16, "stosl": ir.U32, "stosq": ir.U64,
}

// moveBlock copies or fills memory upwards, once or, with rep, rcx times.
func moveBlock(in *asmInstruction, word string, repeated bool) {
	t := asmBlocks[word]
	count := in.register("rcx")
	head, body, end := in.Code.Label(""), in.Code.Label(""), in.Code.Label("")
	if repeated {
		in.implicit(x86.RCX)
		in.Code.Here(head)
		some := ir.Binary(ir.Ne, ir.U64, ir.R(count), ir.Int(0))
		from := in.Code.Start()
		in.Code.Assume(from, some, body)
		in.Code.Assume(from, ir.Negate(some), end)
		in.Code.At, in.Code.Fresh = body, false
		in.Code.Assign(count, ir.Binary(ir.Sub, ir.U64, ir.R(count), ir.Int(1)))
	}
	x86.String(in, int(t.Bits), strings.HasPrefix(word, "movs"))
	if repeated {
		in.Code.Jump(head)
		in.Code.At, in.Code.Fresh = end, false
	}
}
