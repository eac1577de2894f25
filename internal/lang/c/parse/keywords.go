package parse

// keyword is a keyword of C.
type keyword uint8

const (
	noKey keyword = iota
	kAuto
	kBreak
	kCase
	kChar
	kConst
	kContinue
	kDefault
	kDo
	kDouble
	kElse
	kEnum
	kExtern
	kFloat
	kFor
	kGoto
	kIf
	kInline
	kInt
	kLong
	kRegister
	kRestrict
	kReturn
	kShort
	kSigned
	kSizeof
	kStatic
	kStruct
	kSwitch
	kTypedef
	kUnion
	kUnsigned
	kVoid
	kVolatile
	kWhile
	kAlignas
	kAlignof
	kAtomic
	kBool
	kComplex
	kGeneric
	kNoreturn
	kStaticAssert
	kThread
	kAsm
	kAttribute
	kTypeof
	kTypeofUnqual
	kExtension
	kAutoType
	kInt128
	kFloat128
	kFloat16
	kFloat32
	kFloat64
	kFloat32x
	kFloat64x
	kLabel
	kReal
	kImag
	kNullptr
	kTrue
	kFalse
	kRefused // _Decimal32, _Accum and others
	kVaArg
	kOffsetof
	kCompatible
	kChoose
	kFunctionName
	kComplexOf
	kHasAttribute
	kShuffle
	kConstexpr
)

var keywords = map[string]keyword{
	"auto": kAuto, "break": kBreak, "case": kCase, "char": kChar, "const": kConst, "__const": kConst, "__const__": kConst, "continue": kContinue,
	"default": kDefault, "do": kDo, "double": kDouble, "else": kElse, "enum": kEnum, "extern": kExtern, "float": kFloat, "for": kFor, "goto": kGoto,
	"if": kIf, "__inline": kInline, "__inline__": kInline, "int": kInt, "long": kLong, "register": kRegister, "__restrict": kRestrict, "__restrict__": kRestrict,
	"return": kReturn, "short": kShort, "signed": kSigned, "__signed": kSigned, "__signed__": kSigned, "sizeof": kSizeof, "static": kStatic, "struct": kStruct,
	"switch": kSwitch, "typedef": kTypedef, "union": kUnion, "unsigned": kUnsigned, "void": kVoid, "volatile": kVolatile, "__volatile": kVolatile,
	"__volatile__": kVolatile, "while": kWhile, "_Alignas": kAlignas, "_Alignof": kAlignof, "__alignof": kAlignof, "__alignof__": kAlignof, "_Atomic": kAtomic,
	"_Bool": kBool, "_Complex": kComplex, "__complex__": kComplex, "__complex": kComplex, "_Generic": kGeneric, "_Noreturn": kNoreturn,
	"_Static_assert": kStaticAssert, "_Thread_local": kThread, "__thread": kThread, "__asm": kAsm, "__asm__": kAsm, "__attribute": kAttribute,
	"__attribute__": kAttribute, "__typeof": kTypeof, "__typeof__": kTypeof, "__extension__": kExtension, "__auto_type": kAutoType, "__int128": kInt128,
	"__float128": kFloat128, "_Float128": kFloat128, "_Float16": kFloat16, "_Float32": kFloat32, "_Float64": kFloat64,
	"_Float32x": kFloat32x, "_Float64x": kFloat64x, "__label__": kLabel, "__real": kReal, "__real__": kReal, "__imag": kImag, "__imag__": kImag,
	"_Decimal32": kRefused, "_Decimal64": kRefused, "_Decimal128": kRefused, "_BitInt": kRefused, "__builtin_va_arg": kVaArg,
	"__builtin_offsetof": kOffsetof, "__builtin_types_compatible_p": kCompatible, "__builtin_choose_expr": kChoose, "__func__": kFunctionName,
	"__FUNCTION__": kFunctionName, "__PRETTY_FUNCTION__": kFunctionName, "__builtin_complex": kComplexOf, "__builtin_has_attribute": kHasAttribute,
	"__builtin_shuffle": kShuffle, "__builtin_shufflevector": kShuffle, "__builtin_convertvector": kShuffle, "__builtin_tgmath": kShuffle,
}

// keywordsSince are the keywords that only some versions of C have.
var keywordsSince = []struct {
	version int
	gnu     bool // also with the extensions of GNU
	word    string
	key     keyword
}{
	{1999, true, "inline", kInline}, {1999, false, "restrict", kRestrict}, {3000, true, "typeof", kTypeof}, {3000, true, "asm", kAsm},
	{2023, false, "static_assert", kStaticAssert}, {2023, false, "thread_local", kThread}, {2023, false, "alignas", kAlignas},
	{2023, false, "alignof", kAlignof}, {2023, false, "bool", kBool}, {2023, false, "true", kTrue}, {2023, false, "false", kFalse},
	{2023, false, "nullptr", kNullptr}, {2023, false, "typeof", kTypeof}, {2023, false, "typeof_unqual", kTypeofUnqual},
	{2023, false, "constexpr", kConstexpr},
}

// keywordTable returns the keywords by the numbers of their names.
func (p *parser) keywordTable(o *Options) []keyword {
	n := p.Source.Names
	table := make([]keyword, n.Len()+len(keywords)+len(keywordsSince)+1)
	set := func(word string, k keyword) { table[n.Of([]byte(word))] = k }
	for word, k := range keywords {
		set(word, k)
	}
	for _, k := range keywordsSince {
		if o.Standard.Version >= k.version || k.gnu && !o.Standard.Strict {
			set(k.word, k.key)
		}
	}
	return table
}
