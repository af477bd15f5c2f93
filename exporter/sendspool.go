package exporter

import (
	"context"
	"errors"
	"fmt"

	"cbc-otel/exporter/spool"
)

// SpoolFile is a file of the spool, for a list.
type SpoolFile struct {
	spool.Entry
	Where  spool.Destination
	Reason string // why it was not delivered
	Mine   bool   // it belongs where this pipeline sends
}

// ErrNoSpool says that there is no spool: it is off, or the environment names no home.
var ErrNoSpool = errors.New("there is no spool")

// ErrNowhere says that the pipeline has no exporter that the spool could be sent to.
var ErrNowhere = errors.New("no exporter is configured to send to")

// Spooled lists the files of the spool, by destination and then oldest first.
func (p *Pipeline) Spooled() ([]SpoolFile, error) {
	s := p.settings.spool
	if s == nil {
		return nil, ErrNoSpool
	}
	entries, err := s.List()
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	mine := ""
	for _, l := range p.lanes {
		if l.backlog != nil {
			l.backlog.init()
			mine = l.backlog.dest.ID()
		}
	}
	var files []SpoolFile
	for _, e := range entries {
		f := SpoolFile{Entry: e, Mine: e.Destination == mine}
		if h, _, err := s.Load(e); err == nil {
			f.Where, f.Reason = h.Destination, h.Reason
		} else {
			f.State = spool.Corrupt
		}
		files = append(files, f)
	}
	return files, nil
}

// SpoolResult is what SendSpool did.
type SpoolResult struct {
	Files, Spans int            // delivered
	Uncertain    int            // may have arrived in a request without an answer, and be there twice
	Lost         map[Reason]int // spans a receiver rejected for good, or a rule dropped
	Left         []SpoolFile    // still there
	Reason       Reason         // why some of its own are left; "": none are
	Err          error
}

// SendSpool sends what the spool holds for the destination of the otlp exporter; with all, everything that can be
// read, wherever it was to go and even if a receiver refused it before, to the first exporter. It waits for others
// that are sending. Do not use the pipeline for anything else.
func (p *Pipeline) SendSpool(ctx context.Context, all bool) (SpoolResult, error) {
	var r SpoolResult
	files, err := p.Spooled()
	if err != nil {
		return r, err
	}
	l := p.spoolLane(all)
	if l == nil {
		r.Left = files
		return r, ErrNowhere
	}
	if len(files) == 0 {
		return r, nil
	}
	routeLogs(p.options.Log)
	if l.open(); l.openErr != nil {
		return r, l.openErr
	}
	b := l.backlog
	if b == nil {
		b = newBacklog(l, p.settings.spool)
		defer b.cancel()
	}
	account := func(e spool.Entry, s sent) {
		p.mu.Lock()
		defer p.mu.Unlock()
		r.Spans += s.accepted
		r.Uncertain += s.uncertain
		if s.unsent == 0 {
			r.Files++
		}
		for reason, n := range s.lost {
			r.Lost = count(r.Lost, reason, n)
		}
		if s.unsent > 0 {
			r.Reason, r.Err = s.reason, s.err
		}
	}
	for _, group := range byDestination(files, all) {
		lock, err := b.spool.Wait(ctx, group[0].Where)
		if err != nil {
			return r, fmt.Errorf("another process is sending to %s: %w", group[0].Where, err)
		}
		b.sendAll(ctx, stillThere(b.spool, group), account)
		lock.Release()
		if r.Reason != "" && !r.Reason.aboutData() {
			break
		}
	}
	if r.Spans > 0 && l.backlog.usable() {
		b.spool.MarkUp(b.dest)
	}
	l.close(ctx)
	r.Left, err = p.Spooled()
	return r, err
}

func (p *Pipeline) spoolLane(all bool) *lane {
	for _, l := range p.lanes {
		if all || l.backlog != nil {
			return l
		}
	}
	return nil
}

// byDestination groups what is to be sent.
func byDestination(files []SpoolFile, all bool) [][]SpoolFile {
	var groups [][]SpoolFile
	for _, f := range files {
		if f.State == spool.Corrupt || !all && (!f.Mine || f.State != spool.Waiting) {
			continue
		}
		if n := len(groups); n == 0 || groups[n-1][0].Destination != f.Destination {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], f)
	}
	return groups
}

// stillThere returns the entries of files that nobody has sent while we waited for the lock.
func stillThere(s *spool.Spool, files []SpoolFile) []spool.Entry {
	now, err := s.List()
	if err != nil {
		return nil
	}
	there := make(map[string]bool, len(now))
	for _, e := range now {
		there[e.Path] = true
	}
	var entries []spool.Entry
	for _, f := range files {
		if there[f.Path] {
			entries = append(entries, f.Entry)
		}
	}
	return entries
}
