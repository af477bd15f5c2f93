package mapping

// builder makes the tree of one workflow.
type builder struct {
	texts
	options *Options
	w       *workflow
	outcome outcome
	ran     interval

	trace    TraceID
	ids      spanIDs
	session  string // shared by all spans, clean
	workflow string
	errors   bool // error texts may leave
}

// tree makes the tree of a workflow as of now. It does not change the workflow.
func (m *Mapper) tree(w *workflow, end End, at stamp) Tree {
	b := &builder{texts: m.texts, options: &m.options, w: w, errors: m.options.ErrorText != "type"}
	b.done = make(map[string]string)
	b.outcome = w.outcome(end, at)
	if line, _ := firstLine(b.clean(w.err)); b.outcome.status == failed && line != "" && b.errors {
		b.outcome.text = oneLine(line)
	}
	b.ran = w.interval(b.outcome)
	b.session = b.name(w.sessionID)
	b.workflow = b.name(w.name)

	root := b.root()
	phases, all := b.phases(root.SpanID)
	root.Attributes = b.rootAttributes(all)
	f := workflowFailure(b.outcome, all)
	root.Status = f.status()
	root.Attributes = text(root.Attributes, KeyErrorType, f.kind)
	return Tree{TaskID: w.id.task, Spans: append([]Span{root}, phases...)}
}

// root makes the workflow's span but for what its agents decide.
func (b *builder) root() Span {
	s := Span{
		Kind:  WorkflowSpan,
		Name:  spanName(InvokeWorkflow, b.full(b.w.name)),
		Start: b.ran.start.time(),
		End:   b.ran.end.time(),
	}
	b.trace = b.w.id.traceID()
	if p := b.options.Parent; !p.TraceID.IsZero() && !p.SpanID.IsZero() {
		switch b.options.ParentMode {
		case "child", "":
			b.trace, s.ParentID, s.Parent = p.TraceID, p.SpanID, p
		case "link":
			s.Links = []Link{{Context: p}}
		}
	}
	b.ids = b.w.id.spanIDs(b.trace)
	s.TraceID, s.SpanID = b.trace, b.ids.workflow()
	for _, e := range b.w.statuses {
		s.Events = append(s.Events, SpanEvent{
			Name:       EventStatus,
			Time:       b.ran.clamp(e.at).time(),
			Attributes: []Attribute{{KeyStatus, b.name(e.status)}},
		})
	}
	return s
}

func (b *builder) rootAttributes(all counts) []Attribute {
	w := b.w
	list := []Attribute{{KeyOperation, InvokeWorkflow}}
	list = text(list, KeyWorkflowName, b.workflow)
	list = text(list, KeyConversation, b.session)
	list = text(list, KeyTaskID, b.name(w.id.task))
	list = text(list, KeyToolUseID, b.name(w.toolUseID))
	list = text(list, KeyRunID, b.name(w.runID))
	list = text(list, KeyWorkflowStatus, b.outcome.status)
	if titles := b.titles(); len(titles) > 0 {
		list = append(list, Attribute{KeyWorkflowPhases, titles})
	}
	list = all.attributes(list, PrefixWorkflowAgents)
	list = count(list, KeyUsageTokens, w.tokens)
	list = count(list, KeyUsageToolUses, w.toolUses)
	list = count(list, KeyUsageDuration, w.duration)
	list = count(list, KeyExitCode, b.outcome.exit)
	if b.options.Content {
		list = text(list, KeyScript, b.content(w.script))
		list = text(list, KeyDescription, b.content(w.description))
		list = text(list, KeySummary, b.content(w.summary))
		list = b.wholeError(list, KeyWorkflowText, w.err)
	}
	return list
}

// titles lists the titles of the phases that were listed, whether they ran or not.
func (b *builder) titles() []string {
	var titles []string
	for _, p := range b.sortedPhases() {
		if title := b.name(p.title); p.listed && title != "" {
			titles = append(titles, title)
		}
	}
	return titles
}

func text(list []Attribute, key, value string) []Attribute {
	if value == "" {
		return list
	}
	return append(list, Attribute{key, value})
}

func count(list []Attribute, key string, n number) []Attribute {
	if !n.known() {
		return list
	}
	return append(list, Attribute{key, int64(n)})
}

// wholeError adds an error that has more lines than the first, which is the status's description.
func (b *builder) wholeError(list []Attribute, key, err string) []Attribute {
	if _, more := firstLine(err); !more || !b.errors {
		return list
	}
	return text(list, key, b.content(err))
}
