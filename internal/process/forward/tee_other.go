//go:build unix && !linux

package forward

func (p *Pump) canTee() bool { return false }

func (p *Pump) tee([]byte) moved { panic("only where canTee says so") }
