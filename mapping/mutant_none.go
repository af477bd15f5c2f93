//go:build !mutant_key_by_agentid && !mutant_settle_first_done && !mutant_drop_last_snapshot && !mutant_follow_session && !mutant_grace_ignored && !mutant_done_is_final

package mapping

const mutant = ""
