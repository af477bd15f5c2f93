package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/filter/check"
	"cbc-otel/internal/replay"
	"cbc-otel/internal/say"
	"cbc-otel/mapping"
)

func (h *host) filterCommand(code *int) *cobra.Command {
	cmd := &cobra.Command{Use: "filter", Short: "Try the rules that decide what may leave"}
	var style check.Style
	test := &cobra.Command{
		Use:   "test [flags] STREAM...",
		Short: "Show what would leave of recorded streams, and prove what would not",
		Long: `test maps recorded streams with and without the rules and prints, for each span, what
would leave; then the hits of each rule and the rules that never matched. It
plants a canary in every kind of place and fails if one would leave although
the rules forbid it. Nothing is sent.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, ok := h.load(flags(cmd), nil)
			if !ok {
				*code = exitUsage
				return nil
			}
			report, err := check.Run(h.policy(s), h.source(args))
			if err == nil {
				var text strings.Builder
				if err = report.Write(&text, style); err == nil {
					cmd.Print(say.InertLines(text.String()))
				}
			}
			if err != nil {
				h.log.Errorf("%v", err)
				*code = exitFailure
			} else if !report.OK() {
				*code = exitFailure
			}
			return nil
		},
	}
	test.Flags().BoolVar(&style.HideRemoved, "hide-removed", false, "do not print what would not leave, for logs that others read")
	test.Flags().BoolVar(&style.Changed, "changed", false, "print only what the rules change")
	cmd.AddCommand(test)
	return cmd
}

func (h *host) policy(s *config.Settings) check.Policy {
	resource := append([]mapping.Attribute{{Key: "service.name", Value: s.ServiceName}}, h.surroundings()...)
	return check.Policy{
		Config:   s.Filter,
		Rules:    s.Rules,
		Mapping:  h.mapping(s, nil),
		Resource: append(resource, s.Resource...),
	}
}

// source maps the streams anew whenever it is asked. Standard input can be read only once, and is kept.
func (h *host) source(files []string) check.Source {
	var stdin []byte
	now := h.now()
	return func(o mapping.Options) (trees []mapping.Tree, err error) {
		for _, file := range files {
			in, modified, err := openStream(file, now)
			if err != nil {
				return nil, err
			}
			if file == "-" {
				if stdin == nil {
					if stdin, err = io.ReadAll(in); err != nil {
						return nil, err
					}
				}
				in = io.NopCloser(bytes.NewReader(stdin))
			}
			o.Origin = modified
			_, err = replay.Run(in, replay.Options{Mapping: o, OnTree: func(t mapping.Tree) { trees = append(trees, t) }})
			_ = in.Close()
			if err != nil {
				return nil, err
			}
		}
		return trees, nil
	}
}
