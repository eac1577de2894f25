package memory

// Visit calls enter in the states that can be reached from s, depth first, with s in that state: in every one once, where
// the execution can go on, and at most limit of these. It ends when enter reports that the search is over, or fails.
func (y *System) Visit(s *State, limit int, enter func() (over bool, err error)) error {
	seen := map[string]bool{}
	over := false
	var visit func() error
	visit = func() error {
		ended := s.Over() || s.Faulted()
		if !ended {
			key := string(y.Codec().Encode(s, nil))
			if seen[key] || len(seen) >= limit {
				return nil
			}
			seen[key] = true
		}
		var err error
		if over, err = enter(); over || err != nil || ended {
			return err
		}
		for _, st := range y.Enabled(s, nil) {
			mark := s.Mark()
			y.Apply(s, st)
			err := visit()
			s.Undo(mark)
			if err != nil || over {
				return err
			}
		}
		s.Err = nil
		return nil
	}
	return visit()
}
