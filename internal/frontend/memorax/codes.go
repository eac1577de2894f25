package memorax

// The diagnostic codes of Memorax's language; docs/languages/memorax.md lists
// them. What all languages can get wrong has the codes of codes.go.
const (
	codeMMacro     = "FP1201" // a wrong definition or call of a macro
	codeMRecursive = "FP1202" // a macro that calls itself
	codeMDomain    = "FP1203" // a domain without values, or an initial value outside the domain
	codeMForbidden = "FP1204" // a forbidden list that does not fit the processes
	codeMOwner     = "FP1205" // a process that does not exist, or a variable that it does not have
	codeMPointer   = "FP1206" // a pointer to no global variable
	codeMLocked    = "FP1207" // a statement that is not allowed in a locked block
	codeMAnything  = "FP1208" // any value of an unbounded domain
	codeMMissing   = "FP1209" // a Memorax statement that has no meaning in these models

	codeMBlocks = "FP1251" // warning: a value that is never in the domain
)
