package exporter

// Reason is why spans were not exported, in a word or two that may be shown and counted.
type Reason string

const (
	Refused      Reason = "connection refused"
	Unreachable  Reason = "unreachable"          // no route, name not found, connection lost
	TimedOut     Reason = "timeout"              // no answer in time
	Unavailable  Reason = "unavailable"          // 429, 502, 503, 504 and what gRPC calls so
	Unauthorized Reason = "not authorized"       // 401, 403
	BadTLS       Reason = "TLS"                  // plaintext to TLS, the reverse, a certificate not trusted
	WrongService Reason = "no OTLP service"      // wrong protocol, path or port
	BadRequest   Reason = "refused by receiver"  // 400 and other final answers to a whole batch
	Rejected     Reason = "rejected by receiver" // part of a batch otherwise taken
	TooLarge     Reason = "too large"
	Filtered     Reason = "dropped by a rule"
	Disk         Reason = "cannot write"
	SpoolFull    Reason = "spool full"
	Misconfig    Reason = "configuration"
	OutOfTime    Reason = "flush timeout" // not even tried, or not written, before the end
)

// temporary reports whether the same batch may be taken a moment later.
func (r Reason) temporary() bool {
	switch r {
	case Refused, Unreachable, Unavailable, TimedOut, OutOfTime:
		return true
	}
	return false
}

// aboutData reports whether the reason lies in the batch, so that others may well be taken.
func (r Reason) aboutData() bool {
	switch r {
	case BadRequest, Rejected, TooLarge:
		return true
	}
	return false
}

// Outcome says what became of a batch. Accepted, Lost and the spans of Rest are all of its spans.
type Outcome struct {
	Accepted int
	Lost     map[Reason]int // gone for good: a receiver that says it rejected some must not be sent them again
	Rest     []*Batch       // not taken; why stands in Reason and Err
	Reason   Reason
	Err      error
	// Uncertain counts spans of requests that went out without an answer coming back, or being waited for: they may
	// have been taken, whatever class they are in, and may be there twice in the end.
	Uncertain int
}

func accepted(b *Batch) Outcome { return Outcome{Accepted: b.Spans} }

func failed(b *Batch, reason Reason, err error) Outcome {
	return Outcome{Rest: []*Batch{b}, Reason: reason, Err: err}
}

// and adds the outcome of another part of the same batch; the later reason stays.
func (o Outcome) and(p Outcome) Outcome {
	o.Accepted += p.Accepted
	for reason, n := range p.Lost {
		o.lose(reason, n)
	}
	o.Rest = append(o.Rest, p.Rest...)
	o.Uncertain += p.Uncertain
	if p.Err != nil {
		o.Reason, o.Err = p.Reason, p.Err
	}
	return o
}

func (o *Outcome) lose(reason Reason, n int) {
	if n == 0 {
		return
	}
	if o.Lost == nil {
		o.Lost = make(map[Reason]int)
	}
	o.Lost[reason] += n
}
