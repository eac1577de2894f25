package read

import "modernc.org/cc/v4"

// typeof of a type. cc takes typeof (type) in a declaration for nothing, and no qualifier after its
// parenthesis. typeof of an expression it knows: the type becomes that of a compound literal.

// typeofWords are the names of typeof, and of the qualifiers.
var typeofWords, qualifierWords = map[string]bool{"typeof": true, "__typeof": true, "__typeof__": true},
	map[string]bool{"const": true, "__const": true, "__const__": true, "volatile": true, "__volatile": true, "__volatile__": true}

// typeofType changes typeof (type) to typeof ((type){}) in the tree of a declaration.
func (s *shaper) typeofType(t *cc.TypeSpecifier) {
	if t == nil || t.Case != cc.TypeSpecifierTypeofType {
		return
	}
	t.Case, t.ExpressionList = cc.TypeSpecifierTypeofExpr, &cc.PostfixExpression{Case: cc.PostfixExpressionComplit, TypeName: t.TypeName}
	s.undo = append(s.undo, func() { t.Case, t.ExpressionList = cc.TypeSpecifierTypeofType, nil })
}

// typeofQualified changes typeof (const type) to typeof ((const type){}), in tokens.
func typeofQualified(tokens []ccToken) []ccToken {
	var out []ccToken
	kept := 0 // tokens[:kept] are in out
	for i := range tokens {
		if tokens[i].Ch != rune(cc.IDENTIFIER) || !typeofWords[string(tokens[i].Src())] {
			continue
		}
		open := afterBlanks(tokens, i+1)
		first := afterBlanks(tokens, open+1)
		if first >= len(tokens) || tokens[open].Ch != '(' || tokens[first].Ch != rune(cc.IDENTIFIER) || !qualifierWords[tokens[first].SrcStr()] {
			continue
		}
		end := closingParenthesis(tokens, open)
		if end < 0 || open < kept {
			continue
		}
		out = append(append(out, tokens[kept:open+1]...), tokens[open])
		out = append(append(out, tokens[open+1:end+1]...), sign(tokens[end], '{'), sign(tokens[end], '}'))
		kept = end
	}
	if kept == 0 {
		return tokens
	}
	return append(out, tokens[kept:]...)
}

// afterBlanks returns the index of the first token at or after i that is not blank.
func afterBlanks(tokens []ccToken, i int) int {
	for i < len(tokens) && (tokens[i].Ch == ' ' || tokens[i].Ch == '\n') {
		i++
	}
	return i
}

// closingParenthesis returns the index of the parenthesis that closes the one at i, negative if there is none.
func closingParenthesis(tokens []ccToken, i int) int {
	for depth := 0; i < len(tokens); i++ {
		switch tokens[i].Ch {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// sign is a token of one character at the position of another token.
func sign(at ccToken, c byte) ccToken {
	at.Ch = rune(c)
	at.Set(nil, []byte{c})
	return at
}
