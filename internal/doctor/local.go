package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cbc-otel/exporter"
	"cbc-otel/exporter/spool"
	"cbc-otel/internal/statedir"
)

// file writes the test span into the file that was named, where it stays as it would with a receiver, or into the
// store, where it does not: people look there for their workflows.
func (d *doctor) file(ctx context.Context) {
	o := d.options("file")
	if !d.check("file", o) {
		return
	}
	if o.File != "" {
		if d.write(ctx, o, "file", d.key("file.path", "--file")) {
			d.ok("file", "the test span was added to "+o.File)
		}
		return
	}
	dir := o.Store.Path(o.Getenv)
	if dir == "" {
		d.fail("store", statedir.ErrNoHome.Error(), "set one of them, or choose another exporter")
		return
	}
	err := within(dir, []string{d.start.UTC().Format(time.DateOnly)}, func(file string) {
		o.File = file
		if d.write(ctx, o, "store", d.key("store.dir", "store.dir")) {
			d.ok("store", "traces are kept in "+dir)
		}
	})
	if err != nil {
		d.fail("store", "cannot be written: "+err.Error(), "correct that, or name another folder in "+d.key("store.dir", "store.dir"))
	}
}

// write exports the test span to a file.
func (d *doctor) write(ctx context.Context, o exporter.Options, what, key string) bool {
	report, err := flush(ctx, o, d.testSpan(), d.timeout)
	if err == nil && report.Exported == 1 {
		return true
	}
	said := report.Error
	if err != nil {
		said = err.Error()
	}
	d.fail(what, "cannot be written: "+said, "correct that, or "+key)
	return false
}

// console writes the test span where the trees of runs go, and looks whether that is in the way of the command.
func (d *doctor) console(ctx context.Context) {
	o := d.options("console")
	if !d.check("console", o) {
		return
	}
	if out := d.Exporter.Stdout; out != nil && d.Stderr != nil && out.Mode()&fs.ModeCharDevice == 0 && os.SameFile(out, d.Stderr) {
		d.warn("console", "standard error goes where standard output goes: trees stand among what the command writes", "keep them apart (no 2>&1)")
	}
	report, err := flush(ctx, o, d.testSpan(), d.timeout)
	if err != nil || report.Exported != 1 {
		d.fail("console", "the tree of the test span could not be written to standard error: "+report.Error, "look where it goes")
		return
	}
	d.ok("console", "the tree of the test span was written to standard error")
}

// spool reports whether spans can be kept that cannot be sent.
func (d *doctor) spool() {
	o := d.Exporter.Spool
	if o.Off {
		return
	}
	if o.Base == "" {
		base, err := statedir.Base(d.getenv)
		if err != nil {
			d.warn("spool", "spans that cannot be sent are lost: "+err.Error(), "set one of them")
			return
		}
		o.Base = base
	}
	s := spool.New(spool.Options{Base: o.Base, MaxBytes: o.MaxBytes, MaxAge: o.MaxAge, Now: d.Exporter.Now})
	if err := within(o.Base, []string{spool.Folder}, func(string) {}); err != nil {
		d.warn("spool", "spans that cannot be sent are lost: "+err.Error(), "correct that")
		return
	}
	waiting, elsewhere := d.waiting()
	if waiting > 0 {
		d.warn("spool", fmt.Sprintf("%s of earlier runs wait in %s", plural(waiting, "span"), s.Dir()), "cbc-otel flush sends them")
	}
	if elsewhere > 0 {
		d.warn("spool", fmt.Sprintf("%s for other places wait in %s", plural(elsewhere, "span"), s.Dir()), "cbc-otel flush lists them; with --all it sends them here")
	}
	if waiting+elsewhere > 0 {
		return
	}
	d.ok("spool", "spans that cannot be sent are kept in "+s.Dir())
}

// waiting counts spans that an earlier run left in the spool, for the endpoint that is set and for others.
func (d *doctor) waiting() (here, elsewhere int) {
	o := d.options("otlp")
	o.Spool = d.Exporter.Spool
	p, err := exporter.Open(o)
	if err != nil {
		return 0, 0 // said already
	}
	defer p.Close()
	files, _ := p.Spooled() // it can be read: it can be written
	for _, f := range files {
		switch {
		case f.State != spool.Waiting:
		case f.Mine:
			here += f.Spans
		default:
			elsewhere += f.Spans
		}
	}
	return here, elsewhere
}

// within has an empty file made in a private folder, as statedir makes it, and leaves no trace of it.
func within(base string, below []string, use func(file string)) error {
	for _, dir := range missing(filepath.Join(append([]string{base}, below...)...)) {
		defer os.Remove(dir) //nolint:errcheck // stays if somebody else has put something into it
	}
	dir, _, err := statedir.Make(base, below...)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // checked by nobody: it is empty or ours
	_, err = f.WriteString("\n")
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	use(f.Name())
	return nil
}

// missing lists the folders of a path that are not there, the outermost first.
func missing(path string) []string {
	if _, err := os.Lstat(path); err == nil || path == filepath.Dir(path) {
		return nil
	}
	return append(missing(filepath.Dir(path)), path)
}
