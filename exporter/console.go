package exporter

import (
	"context"
	"errors"
	"io"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"cbc-otel/internal/say"
	"cbc-otel/internal/waterfall"
)

// Console is where and how the console exporter writes.
type Console struct {
	Out   io.Writer // a tree is one write; it cleans what it writes and marks it as ours
	Width int       // columns; default 100
	ASCII bool      // no box drawing and block characters
}

const defaultWidth = 100

// console writes each tree as a waterfall that people read.
type console struct {
	options Console
	waits   *waits
	pending []*tracepb.Span // of a tree whose last batch is still to come
}

func checkConsole(o *Options, _ *settings) error {
	if o.Console.Out == nil {
		return errors.New("console: there is nothing to write to")
	}
	return nil
}

func openConsole(o *Options, s settings) (Exporter, error) {
	c := &console{options: o.Console, waits: s.waits}
	if c.options.Width <= 0 {
		c.options.Width = defaultWidth
	}
	return c, nil
}

func (c *console) Export(ctx context.Context, b *Batch) Outcome {
	for _, rs := range b.Data.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			c.pending = append(c.pending, ss.GetSpans()...)
		}
	}
	if !b.Last {
		return accepted(b) // written with the rest of its tree
	}
	text := waterfall.Draw(treeOf(c.pending), waterfall.Options{Width: c.options.Width, ASCII: c.options.ASCII})
	c.pending = nil
	defer c.waits.begin()()
	if err := c.write(ctx, say.InertLines(text)); err != nil {
		return failed(b, Disk, err)
	}
	return accepted(b)
}

// stallTick is the time between two looks at a reader that rests, as a pager does.
const stallTick = 50 * time.Millisecond

// write writes a text. A reader that rests is waited for until ctx ends.
func (c *console) write(ctx context.Context, text string) error {
	for {
		n, err := io.WriteString(c.options.Out, text)
		if !errors.Is(err, say.ErrStalled) {
			return err
		}
		text = text[n:]
		select {
		case <-ctx.Done():
			return err
		case <-time.After(stallTick):
		}
	}
}

func (*console) Close(context.Context) error { return nil }
