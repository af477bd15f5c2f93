package spool

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// DownFor is how long a destination counts as down after it failed.
const DownFor = 5 * time.Minute

// Down is what is known about a destination that failed.
type Down struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
}

const downSuffix = ".down"

func (s *Spool) downPath(d Destination) string { return filepath.Join(s.Dir(), d.ID()+downSuffix) }

var downNumber atomic.Int64

// MarkDown notes that the destination failed now, for this run and others.
func (s *Spool) MarkDown(d Destination, reason string) error {
	dir, err := s.make()
	if err != nil {
		return err
	}
	content, err := json.Marshal(Down{Since: s.options.Now(), Reason: reason})
	if err != nil {
		return err
	}
	aside := filepath.Join(dir, fmt.Sprintf("%sdown-%d-%d", temporary, os.Getpid(), downNumber.Add(1)))
	return writeFile(aside, s.downPath(d), content)
}

// MarkUp notes that the destination works.
func (s *Spool) MarkUp(d Destination) { _ = os.Remove(s.downPath(d)) }

// Down reports whether the destination failed within the last five minutes.
func (s *Spool) Down(d Destination) (Down, bool) {
	content, err := os.ReadFile(s.downPath(d))
	var down Down
	if err != nil || json.Unmarshal(content, &down) != nil {
		return Down{}, false
	}
	age := s.options.Now().Sub(down.Since)
	return down, age >= 0 && age < DownFor
}
