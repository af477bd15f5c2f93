package mapping

// TrueTokens returns the tokens that were billed for a span of ours: input, the cache's among it, and output, as the
// CLI's own telemetry counted them. They are not known, and ok is false, without that.
func TrueTokens(s *Span) (input, output int64, ok bool) {
	for _, keys := range [][2]string{{KeyInput, KeyOutput}, {KeyAllInput, KeyAllOutput}} {
		in, hasIn := s.Int(keys[0])
		out, hasOut := s.Int(keys[1])
		if hasIn || hasOut {
			return in, out, true
		}
	}
	return 0, 0, false
}

// Tokens returns the tokens to show for a span of ours: those that were billed if they are known, else the number
// that the stream gives for it.
func Tokens(s *Span) (n int64, ok bool) {
	if in, out, ok := TrueTokens(s); ok {
		return in + out, true
	}
	for _, key := range []string{KeyUsageTokens, KeyPhaseTokens, KeyAgentTokens} {
		if n, ok = s.Int(key); ok {
			return n, ok
		}
	}
	return 0, false
}
