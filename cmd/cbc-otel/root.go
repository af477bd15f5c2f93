package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cbc-otel/config"
)

// command is the program under its own name.
func (h *host) command() int {
	code := exitOK
	root := h.root(&code)
	root.SetArgs(h.args[1:])
	if err := root.Execute(); err != nil {
		hint := ""
		if missingCommand(root, h.args[1:]) {
			hint = "; to run a program write -- before it: cbc-otel [flags] -- COMMAND [ARG...]"
		}
		h.log.Errorf("%v%s", err, hint)
		return exitUsage
	}
	return code
}

// missingCommand reports whether it looks as if a program was to be run and -- forgotten: its options were taken for ours.
func missingCommand(root *cobra.Command, args []string) bool {
	if slices.Contains(args, "--") {
		return false
	}
	first := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if first != 0 {
		return false // what comes after options may be a value of one
	}
	known, _, err := root.Find(args)
	return err == nil && known == root && slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") })
}

// root builds all commands. Each leaves its exit code in code; an error is a mistake on the command line.
func (h *host) root(code *int) *cobra.Command {
	root := &cobra.Command{
		Use:   program + " [flags] -- COMMAND [ARG...]",
		Short: "Run an agent CLI and export its workflows as traces",
		Long: `cbc-otel runs COMMAND with its standard input, output and error untouched, looks at
the stream-json that passes, and exports each Dynamic Workflow as a trace:
workflow, phases, agents with their tokens.

Started under another name (a link called claude, cbc or codebuddy) it runs the
next program of that name on PATH and takes no flags of its own: settings come
from the environment and the configuration file.`,
		Example: `  cbc-otel -- claude -p --output-format stream-json --verbose "/deep-research topic"
  cbc-otel --endpoint http://localhost:4317 -- cbc -p --output-format stream-json "…"
  cbc-otel replay stream.ndjson`,
		Args:          cobra.ArbitraryArgs,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		// Cobra's own error for an unknown command does not say what to do.
		DisableSuggestions: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash != 0 {
				return missingDash(args)
			}
			if len(args) == 0 {
				return errors.New("no command after --")
			}
			*code = h.run(flags(cmd), args)
			return nil
		},
	}
	config.Register(root.PersistentFlags())
	root.SetVersionTemplate(program + " {{.Version}}\n")
	root.SetOut(os.Stdout)
	root.SetErr(h.log.Writer())
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(
		h.replayCommand(code), h.demoCommand(code), h.simulateCommand(code),
		h.configCommand(code), h.filterCommand(code),
		h.listCommand(code), h.showCommand(code), h.viewCommand(code), h.reportCommand(code),
		h.flushCommand(code), h.recoverCommand(code), h.doctorCommand(code),
		versionCommand(),
	)
	root.SetHelpCommand(helpCommand(root))
	return root
}

// helpCommand is cobra's, but for commands that do not exist, which are mistakes.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if about, _, err := root.Find(args); err == nil {
				for _, c := range about.Commands() {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				known := args[:min(len(args)-len(rest)+1, len(args))] // and the first that is not
				return errors.New("no help for " + strings.Join(known, " ") + ": no such command (see cbc-otel help)")
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

func missingDash(args []string) error {
	if len(args) == 0 {
		return errors.New("no command: cbc-otel [flags] -- COMMAND [ARG...] (see cbc-otel help)")
	}
	// Not the other arguments: what somebody asked an agent is not for a log.
	return errors.New("unknown command " + args[0] + "; to run a program write -- before it: cbc-otel -- " + args[0] + " …")
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run:   func(cmd *cobra.Command, _ []string) { cmd.Println(program, version) },
	}
}
