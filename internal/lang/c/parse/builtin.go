package parse

import (
	"strings"

	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// Functions of the compiler. Those with a fixed type stand in a table: the name, the letter of
// the result, and the letters of the parameters. The others have a type that depends on
// their arguments, and become Builtin.

// letters of types: v void, b _Bool, c char, i int, u unsigned, l long, m unsigned long, q long
// long, Q unsigned long long, h unsigned short, f float, d double, D long double, p void *,
// P const void *, V volatile void *, s char *, S const char *, z and nothing after it: variable
// arguments.
const fixedBuiltins = `
expect l ll
expect_with_probability l lld
unreachable v
trap v
abort v
exit v i
alloca p m
alloca_with_align p mm
assume_aligned p Pmz
prefetch v Pz
object_size m Pi
dynamic_object_size m Pi
frame_address p u
return_address p u
extract_return_addr p p
LINE i
FILE S
FUNCTION S
bswap16 h h
bswap32 u u
bswap64 m m
ffs i i
ffsl i l
ffsll i q
clz i u
clzl i m
clzll i Q
ctz i u
ctzl i m
ctzll i Q
clrsb i i
clrsbl i l
clrsbll i q
popcount i u
popcountl i m
popcountll i Q
parity i u
parityl i m
parityll i Q
abs i i
labs l l
llabs q q
inf d
inff f
infl D
huge_val d
huge_valf f
huge_vall D
nan d S
nanf f S
nanl D S
nans d S
fabs d d
fabsf f f
fabsl D D
copysign d dd
copysignf f ff
copysignl D DD
sqrt d d
sqrtf f f
floor d d
ceil d d
trunc d d
round d d
rint d d
fmin d dd
fmax d dd
fma d ddd
pow d dd
powi d di
exp d d
log d d
sin d d
cos d d
fmod d dd
malloc p m
calloc p mm
realloc p pm
free v p
memcpy p pPm
memmove p pPm
mempcpy p pPm
memset p pim
memcmp i PPm
memchr p Pim
bzero v pm
bcmp i PPm
strlen m S
strnlen m Sm
strcpy s sS
stpcpy s sS
strncpy s sSm
strcat s sS
strncat s sSm
strcmp i SS
strncmp i SSm
strcasecmp i SS
strchr s Si
strrchr s Si
strstr s SS
strdup s S
strndup s Sm
strspn m SS
strcspn m SS
strpbrk s SS
rindex s Si
stpncpy s sSm
strncasecmp i SSm
bcopy v Ppm
imaxabs l l
ia32_rdpmc Q i
isinff i f
isnanf i f
index s Si
printf i Sz
puts i S
putchar i i
sprintf i sSz
snprintf i smSz
isdigit i i
isalpha i i
isspace i i
isupper i i
islower i i
toupper i i
tolower i i
setjmp i p
longjmp v pi
cpu_init i
cpu_supports i S
cpu_is i S
__memcpy_chk p pPmm
__memset_chk p pimm
__memmove_chk p pPmm
__strcpy_chk s sSm
__strncpy_chk s sSmm
__strcat_chk s sSm
__strncat_chk s sSmm
__stpcpy_chk s sSm
__stpncpy_chk s sSmm
__mempcpy_chk p pPmm
__snprintf_chk i smimSz
__sprintf_chk i simSz
ia32_pause v
ia32_mfence v
ia32_lfence v
ia32_sfence v
ia32_clflush v P
ia32_clflushopt v P
ia32_clwb v P
ia32_rdtsc Q
ia32_rdtscp Q p
ia32_tzcnt_u32 u u
ia32_tzcnt_u64 Q Q
ia32_lzcnt_u32 u u
ia32_lzcnt_u64 Q Q
ia32_crc32qi u uc
ia32_crc32hi u uh
ia32_crc32si u uu
ia32_crc32di Q QQ
ia32_bsrsi i i
ia32_bsrdi i q
ia32_xbegin u
ia32_xend v
ia32_xabort v u
ia32_xtest i
sadd_overflow b iip
saddl_overflow b llp
saddll_overflow b qqp
uadd_overflow b uup
uaddl_overflow b mmp
uaddll_overflow b QQp
ssub_overflow b iip
ssubl_overflow b llp
ssubll_overflow b qqp
usub_overflow b uup
usubl_overflow b mmp
usubll_overflow b QQp
smul_overflow b iip
smull_overflow b llp
smulll_overflow b qqp
umul_overflow b uup
umull_overflow b mmp
umulll_overflow b QQp
`

// otherBuiltins are further functions, with their whole names.
const otherBuiltins = `
__atomic_thread_fence v i
__atomic_signal_fence v i
__atomic_test_and_set b Vi
__atomic_clear v Vi
__atomic_always_lock_free b mV
__atomic_is_lock_free b mV
__sync_synchronize v z
`

// typedBuiltins have a type that depends on their arguments. The letter says which: E the type
// that the first argument points to, v void, b _Bool, i int, p void *, T the type of the first argument.
var typedBuiltins = map[string]byte{
	"__atomic_load_n": 'E', "__atomic_load": 'v', "__atomic_store_n": 'v', "__atomic_store": 'v', "__atomic_exchange_n": 'E', "__atomic_exchange": 'v',
	"__atomic_compare_exchange_n": 'b', "__atomic_compare_exchange": 'b', "__atomic_fetch_add": 'E', "__atomic_fetch_sub": 'E', "__atomic_fetch_and": 'E',
	"__atomic_fetch_or": 'E', "__atomic_fetch_xor": 'E', "__atomic_fetch_nand": 'E', "__atomic_add_fetch": 'E', "__atomic_sub_fetch": 'E',
	"__atomic_and_fetch": 'E', "__atomic_or_fetch": 'E', "__atomic_xor_fetch": 'E', "__atomic_nand_fetch": 'E',
	"__sync_fetch_and_add": 'E', "__sync_fetch_and_sub": 'E', "__sync_fetch_and_and": 'E', "__sync_fetch_and_or": 'E', "__sync_fetch_and_xor": 'E',
	"__sync_fetch_and_nand": 'E', "__sync_add_and_fetch": 'E', "__sync_sub_and_fetch": 'E', "__sync_and_and_fetch": 'E', "__sync_or_and_fetch": 'E',
	"__sync_xor_and_fetch": 'E', "__sync_nand_and_fetch": 'E', "__sync_bool_compare_and_swap": 'b', "__sync_val_compare_and_swap": 'E',
	"__sync_lock_test_and_set": 'E', "__sync_lock_release": 'v',
	"__builtin_constant_p": 'i', "__builtin_classify_type": 'i', "__builtin_add_overflow": 'b', "__builtin_sub_overflow": 'b', "__builtin_mul_overflow": 'b',
	"__builtin_add_overflow_p": 'b', "__builtin_sub_overflow_p": 'b', "__builtin_mul_overflow_p": 'b', "__builtin_va_start": 'v', "__builtin_va_end": 'v',
	"__builtin_va_copy": 'v', "__builtin_next_arg": 'p', "__builtin_isnan": 'i', "__builtin_isinf": 'i', "__builtin_isinf_sign": 'i', "__builtin_isfinite": 'i',
	"__builtin_isnormal": 'i', "__builtin_signbit": 'i', "__builtin_signbitf": 'i', "__builtin_signbitl": 'i', "__builtin_isgreater": 'i', "__builtin_isless": 'i',
	"__builtin_isgreaterequal": 'i', "__builtin_islessequal": 'i', "__builtin_islessgreater": 'i', "__builtin_isunordered": 'i', "__builtin_fpclassify": 'i',
	"__builtin_speculation_safe_value": 'T', "__builtin_va_arg_pack": 'i', "__builtin_va_arg_pack_len": 'i', "__builtin_clear_padding": 'v',
}

// builtin returns the object of a function of the compiler, nil if the name is none.
func (p *parser) builtin(word string, n lex.Name, at int32) *Object {
	if !strings.HasPrefix(word, "__") {
		return nil
	}
	var t *types.Type
	kind := Function
	name, short := strings.CutPrefix(word, "__builtin_")
	switch {
	case p.letterOf(word) != 0:
		kind = BuiltinFunction
		t = &types.Type{Kind: types.Function, Elem: types.Of(types.Int), OldStyle: true}
	case short:
		t = signature(fixedBuiltins, name)
	default:
		t = signature(otherBuiltins, word)
		if t == nil {
			t = sizedAtomic(word)
			kind = Function
		}
	}
	if t == nil {
		return nil
	}
	o := &Object{Kind: kind, Name: n, Text: word, Tok: -1, Type: t, Storage: Extern, Traits: Traits{Global: true}}
	p.declareOutermost(o)
	return o
}

// declareOutermost declares an object for the whole file.
func (p *parser) declareOutermost(o *Object) {
	if int(o.Name) < len(p.objects) && p.objects[o.Name] == nil {
		p.objects[o.Name] = o
	}
}

// signature returns the type of a function in a table, nil if there is none.
func signature(table, name string) *types.Type {
	i := strings.Index(table, "\n"+name+" ")
	if i < 0 {
		return nil
	}
	line := table[i+1:]
	line = line[len(name)+1 : strings.IndexByte(line, '\n')]
	t := &types.Type{Kind: types.Function, Elem: letterType(line[0])}
	for _, c := range []byte(strings.TrimSpace(line[1:])) {
		if c == 'z' {
			t.Variadic = true
			break
		}
		t.Params = append(t.Params, letterType(c))
	}
	if name == "unreachable" || name == "trap" || name == "abort" || name == "exit" || name == "longjmp" {
		t.NoReturn = true
	}
	return t
}

func letterType(c byte) *types.Type {
	kinds := map[byte]types.Kind{
		'v': types.Void, 'b': types.Bool, 'c': types.Char, 'i': types.Int, 'u': types.UInt, 'l': types.Long, 'm': types.ULong, 'q': types.LongLong,
		'Q': types.ULongLong, 'h': types.UShort, 'f': types.Float, 'd': types.Double, 'D': types.LongDouble,
	}
	if k, ok := kinds[c]; ok {
		return types.Of(k)
	}
	elem, qual := types.Of(types.Void), types.Qualifiers(0)
	switch c {
	case 's':
		elem = types.Of(types.Char)
	case 'S':
		elem, qual = types.Of(types.Char), types.Const
	case 'P':
		qual = types.Const
	case 'V':
		qual = types.Const | types.Volatile
	}
	return types.PointerTo(elem.WithQual(qual))
}

// sizedAtomic returns the type of an atomic function with a size, such as __atomic_load_8.
func sizedAtomic(word string) *types.Type {
	i := strings.LastIndexByte(word, '_')
	kind, ok := map[string]types.Kind{"1": types.UChar, "2": types.UShort, "4": types.UInt, "8": types.ULong, "16": types.UInt128}[word[i+1:]]
	if !ok || typedBuiltins[word[:i]] == 0 && typedBuiltins[word[:i]+"_n"] == 0 {
		return nil
	}
	base := word[:i]
	result := typedBuiltins[base]
	if result == 0 || base == "__atomic_load" || base == "__atomic_store" || base == "__atomic_exchange" || base == "__atomic_compare_exchange" {
		result = typedBuiltins[base+"_n"]
	}
	t := &types.Type{Kind: types.Function, Elem: types.Of(kind), OldStyle: true}
	switch result {
	case 'v':
		t.Elem = types.Of(types.Void)
	case 'b':
		t.Elem = types.Of(types.Bool)
	}
	return t
}

// builtinCall makes a call of a function whose type depends on its arguments.
func (p *parser) builtinCall(f *Expr, at int32, args []*Expr) *Expr {
	word := p.name(f.Obj.Name)
	e := &Expr{Op: Builtin, Tok: at, A: f, Obj: f.Obj, Args: args, Type: types.Of(types.Int)}
	for i := range args {
		if isBad(args[i]) && word != "__builtin_constant_p" {
			return p.bad(at)
		}
		if !(word == "__builtin_va_start" || word == "__builtin_va_end" || word == "__builtin_va_copy") {
			args[i] = p.rvalue(args[i])
		}
	}
	if need := builtinArity(word); len(args) < need {
		p.errorf(at, "%s needs %d arguments, and gets %d", word, need, len(args))
		return p.bad(at)
	}
	switch p.letterOf(word) {
	case 'v':
		e.Type = types.Of(types.Void)
	case 'b':
		e.Type = types.Of(types.Bool)
	case 'p':
		e.Type = types.PointerTo(types.Of(types.Void))
	case 'T':
		e.Type = args[0].Type
	case 'E':
		t := args[0].Type
		if t.Kind != types.Pointer || !t.Elem.IsComplete() {
			p.errorf(at, "the first argument of %s must be a pointer to an object, and is %s", word, t)
			return p.bad(at)
		}
		e.Type = t.Elem.Unqualified()
	}
	return e
}

// letterOf returns the letter of a function whose type depends on its arguments, 0 if it is none.
func (p *parser) letterOf(word string) byte {
	if c := typedBuiltins[word]; c != 0 {
		return c
	}
	return p.further[word]
}

// builtinArity returns how many arguments a function needs at least.
func builtinArity(word string) int {
	switch {
	case word == "__builtin_va_arg_pack" || word == "__builtin_va_arg_pack_len" || word == "__builtin_next_arg":
		return 0
	case strings.HasPrefix(word, "__atomic_compare_exchange"):
		return 6
	case word == "__atomic_load_n" || strings.HasPrefix(word, "__sync_") && word != "__sync_lock_release" && !strings.Contains(word, "compare"):
		return 2
	case word == "__atomic_exchange":
		return 4
	case strings.HasPrefix(word, "__atomic_"), strings.Contains(word, "compare"), strings.Contains(word, "overflow"):
		return 3
	default:
		return 1
	}
}
