package main

import (
	"errors"

	"github.com/spf13/cobra"

	"cbc-otel/config"
)

func (h *host) configCommand(code *int) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Make, check and show the configuration"}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "init [FILE]",
			Short: "Write a commented file to start from",
			Args:  cobra.MaximumNArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				path := config.DefaultFile(h.getenv)
				if len(args) > 0 {
					path = args[0]
				}
				if path == "" {
					return errors.New("config init: neither XDG_CONFIG_HOME nor HOME is an absolute path; name a file")
				}
				if err := config.WriteStarter(path); err != nil {
					h.log.Errorf("%v", err)
					*code = exitFailure
					return nil
				}
				cmd.Println(path)
				return nil
			},
		},
		&cobra.Command{
			Use:   "validate [FILE]",
			Short: "Check the configuration, or a file",
			Args:  cobra.MaximumNArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				given := flags(cmd)
				if len(args) > 0 {
					given["config"] = args[0]
				}
				s, ok := h.load(given, nil)
				if !ok {
					*code = exitUsage
				} else if s.ConfigFile == "" {
					cmd.Println("ok (no file)")
				} else {
					cmd.Println("ok: " + s.ConfigFile)
				}
				return nil
			},
		},
		&cobra.Command{
			Use:   "print",
			Short: "Show the configuration in effect and where each value comes from",
			Args:  cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				s, ok := h.load(flags(cmd), nil)
				if !ok {
					*code = exitUsage
					return nil
				}
				cmd.Print(s.Print())
				return nil
			},
		},
		&cobra.Command{
			Use:   "schema",
			Short: "Print the JSON Schema of the file, for editors",
			Args:  cobra.NoArgs,
			Run:   func(cmd *cobra.Command, _ []string) { cmd.Print(string(config.Schema())) },
		},
	)
	return cmd
}
