package mapping

// Attribute keys. The gen_ai, error, workflow and process keys are those of the OpenTelemetry semantic
// conventions (the Go semconv packages stopped carrying gen_ai after v1.41, so they are kept here); workflow.run_id
// is the key of the CLI's own telemetry. The rest is ours, under cbc.
const (
	KeyOperation    = "gen_ai.operation.name"
	KeyWorkflowName = "gen_ai.workflow.name"
	KeyConversation = "gen_ai.conversation.id"
	KeyAgentName    = "gen_ai.agent.name"
	KeyModel        = "gen_ai.request.model"
	KeyErrorType    = "error.type"
	KeyExitCode     = "process.exit.code"
	KeyRunID        = "workflow.run_id"
	KeyExecutable   = "process.executable.name"
	KeyPID          = "process.pid"

	KeyTaskID         = "cbc.task.id"
	KeyToolUseID      = "cbc.tool_use.id"
	KeyWorkflowStatus = "cbc.workflow.status"
	KeyWorkflowPhases = "cbc.workflow.phases"
	KeyUsageTokens    = "cbc.usage.total_tokens"
	KeyUsageToolUses  = "cbc.usage.tool_uses"
	KeyUsageDuration  = "cbc.usage.duration_ms"

	// Sums of what the CLI's own telemetry counted. On agents the tokens are under the keys of the conventions, where
	// input includes what came from and went to the cache; on phases and workflows under ours.
	KeyInput        = "gen_ai.usage.input_tokens"
	KeyOutput       = "gen_ai.usage.output_tokens"
	KeyCacheRead    = "gen_ai.usage.cache_read.input_tokens"
	KeyCacheWrite   = "gen_ai.usage.cache_creation.input_tokens"
	KeyAllInput     = "cbc.usage.input_tokens"
	KeyAllOutput    = "cbc.usage.output_tokens"
	KeyAllRead      = "cbc.usage.cache_read.input_tokens"
	KeyAllWrite     = "cbc.usage.cache_creation.input_tokens"
	KeyCost         = "cbc.usage.cost_usd"
	KeyRequests     = "cbc.usage.requests"
	KeyFailed       = "cbc.usage.requests_failed"
	KeyToolCalls    = "cbc.usage.tool_calls"
	KeyUsagePartial = "cbc.usage.partial" // true: the telemetry saw less than the stream

	KeyNativeKind   = "cbc.native.kind"      // on spans of the CLI: request, tool or native
	KeyNativeScope  = "cbc.native.scope"     // its instrumentation scope
	KeyNativeTrace  = "cbc.native.trace_id"  // where it was before, if that was another trace
	KeyNativeParent = "cbc.native.parent_id" // the parent it had there, if it had another

	KeyPhaseIndex  = "cbc.phase.index"
	KeyPhaseTitle  = "cbc.phase.title"
	KeyPhaseKind   = "cbc.phase.kind"
	KeyPhaseTokens = "cbc.phase.tokens"

	KeyAgentID        = "cbc.agent.id"
	KeyAgentIndex     = "cbc.agent.index"
	KeyAgentState     = "cbc.agent.state"
	KeyAgentStarted   = "cbc.agent.started"
	KeyAgentAttempt   = "cbc.agent.attempt"
	KeyAgentType      = "cbc.agent.type"
	KeyAgentTokens    = "cbc.agent.tokens"
	KeyAgentToolCalls = "cbc.agent.tool_calls"
	KeyAgentQueue     = "cbc.agent.queue_ms"
	KeyAgentActive    = "cbc.agent.active_ms"
	KeyAgentLastTool  = "cbc.agent.last_tool"
	KeyAgentFallback  = "cbc.agent.fallback_model"
)

// Prefixes of the counts of agents: followed by total, done, error, cached, cancelled and unfinished.
const (
	PrefixWorkflowAgents = "cbc.workflow.agents."
	PrefixPhaseAgents    = "cbc.phase.agents."
)

// What a tree says as a whole, on workflows and phases: see package insight.
const (
	KeyInsightConcurrency = "cbc.insight.concurrency"    // most agents active at once
	KeyInsightEfficiency  = "cbc.insight.efficiency"     // agents' time / (wall time x concurrency), 0 to 1
	KeyInsightActive      = "cbc.insight.active_ms"      // agents' time from start to end, summed
	KeyInsightQueued      = "cbc.insight.queued_ms"      // agents' time from being queued to their start, summed
	KeyInsightPath        = "cbc.insight.critical_path"  // of a workflow: indexes of its agents, in order of time
	KeyInsightCritical    = "cbc.insight.critical_agent" // of a phase: index of its agent that ended last
	KeyInsightStragglers  = "cbc.insight.stragglers"     // of a phase: how many agents took much longer than the others
)

// Content keys: attributes that are only made with [Options].Content. See [IsContent].
const (
	KeyScript       = "cbc.workflow.script"
	KeyDescription  = "cbc.workflow.description"
	KeySummary      = "cbc.workflow.summary"
	KeyWorkflowText = "cbc.workflow.error" // the whole error, when it has more than the first line
	KeyPrompt       = "cbc.agent.prompt_preview"
	KeyResult       = "cbc.agent.result_preview"
	KeyLastToolNote = "cbc.agent.last_tool_summary"
	KeyAgentText    = "cbc.agent.error" // as KeyWorkflowText
)

// Span events and the keys of their attributes.
const (
	EventStatus = "cbc.status" // one for each status of a task_updated line
	EventRetry  = "retry"      // one for each attempt after the first

	KeyStatus  = "status"
	KeyAttempt = "attempt"
	KeyReason  = "reason"
)

// Operation names: values of KeyOperation and the first word of a span's name.
const (
	InvokeWorkflow = "invoke_workflow"
	InvokeAgent    = "invoke_agent"
)

// IsContent reports whether the attribute holds what people or models wrote, not just names and numbers.
func IsContent(key string) bool {
	switch key {
	case KeyScript, KeyDescription, KeySummary, KeyWorkflowText, KeyPrompt, KeyResult, KeyLastToolNote, KeyAgentText:
		return true
	}
	return false
}
