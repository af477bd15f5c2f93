package mapping

import "slices"

// maxSettled is how many settled task ids are remembered: late snapshots of them are told from unknown ones, and a
// task that starts again gets ids of its own.
const maxSettled = 1024

// settled remembers the task ids that were settled last and how many runs each had.
type settled struct {
	runs  map[string]int
	order []string // oldest first
}

func (s *settled) add(task string, run int) {
	if s.runs == nil {
		s.runs = make(map[string]int)
	}
	if _, again := s.runs[task]; again {
		i := slices.Index(s.order, task)
		s.order = slices.Delete(s.order, i, i+1)
	}
	s.runs[task] = run
	s.order = append(s.order, task)
	if len(s.order) > maxSettled {
		delete(s.runs, s.order[0])
		s.order = slices.Delete(s.order, 0, 1)
	}
}

// run returns the number of the last run that was settled, 0 for none.
func (s *settled) run(task string) int { return s.runs[task] }
