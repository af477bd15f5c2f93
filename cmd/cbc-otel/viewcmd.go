package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"cbc-otel/config"
	"cbc-otel/internal/say"
	"cbc-otel/internal/viewer"
)

func (h *host) viewCommand(code *int) *cobra.Command {
	var port int
	var noOpen bool
	cmd := &cobra.Command{
		Use:   "view [flags] [FILE...]",
		Short: "Look at workflows in a browser, also while they run",
		Long: `view serves a page on this machine alone, prints its address and opens it in the
browser: a list of workflows and, for each, a waterfall of phases and agents.
Without FILE it shows the local store and the workflows of wrappers that run at
this moment. FILE is one of OTLP JSON lines or a recorded stream.

The address works once; the browser then keeps a cookie. Ctrl-C ends it.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			s, ok := h.load(flags(cmd), nil)
			if !ok {
				*code = exitUsage
				return nil
			}
			*code = h.view(cmd.OutOrStdout(), s, files, port, !noOpen)
			return nil
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "port to listen on (default: any free one)")
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "only print the address, open no browser")
	return cmd
}

// view serves until a signal ends it.
func (h *host) view(out io.Writer, s *config.Settings, files []string, port int, open bool) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	source, err := h.viewed(s, files)
	if err != nil {
		h.log.Errorf("%v", err)
		return exitFailure
	}
	server, err := viewer.Listen(port, viewer.Options{Source: source})
	if err != nil {
		h.log.Errorf("view: %v", err)
		return exitFailure
	}
	address := server.Address()
	fmt.Fprintln(out, address)
	h.log.Print("the address works once; Ctrl-C ends the view")
	if open {
		if err := viewer.Browse(address, h.getenv); err != nil {
			h.log.Logf(say.Info, "no browser was opened: %v", err)
		}
	}
	if err := server.Serve(ctx); err != nil {
		h.log.Errorf("view: %v", err)
		return exitFailure
	}
	return exitOK
}

// viewed is what is viewed: the files, or the store and what runs.
func (h *host) viewed(s *config.Settings, files []string) (viewer.Source, error) {
	o := h.reading(s)
	if len(files) == 0 {
		store, err := h.store(s, o)
		return &viewer.Stored{Store: store, Journals: journalDir(h.getenv), Options: o}, err
	}
	f := &viewer.Files{Paths: files, Options: o}
	rows, _, err := f.List()
	if err == nil && len(rows) == 0 {
		err = errors.New("view: there is no workflow in these files")
	}
	return f, err
}
