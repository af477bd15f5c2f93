//go:build mutant_key_by_agentid

package mapping

const mutant = "key_by_agentid"
