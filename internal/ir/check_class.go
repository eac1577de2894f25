package ir

// ParseCheckClass reads the name of a class.
func ParseCheckClass(name string) (CheckClass, bool) {
	for c, n := range checkNames {
		if n == name && c != int(CheckUnset) {
			return CheckClass(c), true
		}
	}
	return CheckUnset, false
}
