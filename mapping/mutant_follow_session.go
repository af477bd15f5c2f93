//go:build mutant_follow_session

package mapping

const mutant = "follow_session"
