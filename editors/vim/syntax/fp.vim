" Vim syntax file
" Language: fp, the input language of fencepost

if exists("b:current_syntax")
  finish
endif

syntax keyword fpStructure program const var vars domain memory thread goal reg regs init begin end invariant
syntax keyword fpProperty exists never forall assert assume await
syntax keyword fpType byte half word long mem
syntax keyword fpConditional if else either or
syntax keyword fpRepeat while do loop
syntax keyword fpStatement goto break continue return skip havoc in with atomic
syntax keyword fpBarrier fence mfence sfence release seqcst
syntax keyword fpAtomic cas xchg fetch_add fetch_sub fetch_and fetch_or fetch_xor
syntax match fpNumber "\<\(0[xX]\x\+\|\d\+\)\>"
syntax match fpLabel "^\s*\zs\h[A-Za-z0-9_']*\ze\s*:[^=]"
syntax region fpString start=+"+ end=+"+ oneline
syntax match fpComment "//.*$" contains=fpAnnotation
syntax match fpComment "#.*$" contains=fpAnnotation
syntax region fpComment start="/\*" end="\*/" contains=fpAnnotation
syntax match fpAnnotation "\<\(expect\|options\):" contained

highlight default link fpStructure Structure
highlight default link fpProperty PreProc
highlight default link fpType Type
highlight default link fpConditional Conditional
highlight default link fpRepeat Repeat
highlight default link fpStatement Statement
highlight default link fpBarrier Special
highlight default link fpAtomic Function
highlight default link fpNumber Number
highlight default link fpLabel Label
highlight default link fpString String
highlight default link fpComment Comment
highlight default link fpAnnotation Todo

let b:current_syntax = "fp"
