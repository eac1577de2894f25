package memorax

// The diagnostic codes of Memorax's language; docs/languages/memorax.md lists
// them. What all languages can get wrong has the codes of codes.go.
const (
	codeMMacro     = "FP1201" // a wrong definition or call of a macro
	codeMRecursive = "FP1202" // a macro that calls itself
	codeMDomain    = "FP1203" // a domain without values, or an initial value outside it
	codeMForbidden = "FP1204" // a forbidden list that does not fit the processes
	codeMOwner     = "FP1205" // a variable of a process that does not exist or has no such variable
	codeMPointer   = "FP1206" // a pointer that points to no global variable
	codeMLocked    = "FP1207" // a statement that cannot stand in a locked block
	codeMAnything  = "FP1208" // any value of an unbounded domain
	codeMMissing   = "FP1209" // a statement of Memorax that has no meaning here

	codeMBlocks = "FP1251" // warning: a value outside the domain
)
