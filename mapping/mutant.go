package mapping

// Deliberate faults, each behind a build tag of its name, to see that a test finds it. Without one all of this is
// compiled away.
const (
	mutantKeyByAgentID     = mutant == "key_by_agentid"
	mutantSettleFirstDone  = mutant == "settle_first_done"
	mutantDropLastSnapshot = mutant == "drop_last_snapshot"
	mutantFollowSession    = mutant == "follow_session"
	mutantGraceIgnored     = mutant == "grace_ignored"
	mutantDoneIsFinal      = mutant == "done_is_final"
)
