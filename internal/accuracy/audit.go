package accuracy

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"recoup/internal/audit"
	"recoup/internal/lab/design"
	"recoup/internal/lab/export"
	"recoup/reward"
)

// Exported is an export of a design on disk, and what the lab knows of it.
type Exported struct {
	*export.Summary
	dir     string
	program *reward.Program
}

// NewExport plays events against a design and writes its exports into a new
// folder below dir ("" for the system's), which Remove removes.
func NewExport(ctx context.Context, dir string, p *reward.Program, events iter.Seq[reward.Event], d design.Design, o export.Options) (*Exported, error) {
	dir, err := os.MkdirTemp(dir, "recoup-accuracy-")
	if err != nil {
		return nil, err
	}
	x := &Exported{dir: dir, program: p}
	var files []*os.File
	to, err := export.CreateFiles(func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		files = append(files, f)
		return f, err
	})
	if err == nil {
		x.Summary, err = export.Write(ctx, p, inBatches(events), d, o, to)
	}
	for _, f := range files {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		x.Remove()
		return nil, err
	}
	return x, nil
}

// Remove removes the files.
func (x *Exported) Remove() { os.RemoveAll(x.dir) }

// Options are those of an audit of the files.
func (x *Exported) Options() audit.Options {
	of := func(name string) []string { return []string{filepath.Join(x.dir, name+".csv")} }
	return audit.Options{
		Program: x.program, TempDir: x.dir,
		Transactions: of("transactions"), Refunds: of("refunds"), Rewards: of("rewards"), Redemptions: of("redemptions"),
	}
}

// inBatches yields events as the lab takes them.
func inBatches(events iter.Seq[reward.Event]) iter.Seq2[[]reward.Event, error] {
	return func(yield func([]reward.Event, error) bool) {
		batch := make([]reward.Event, 0, 512)
		for e := range events {
			if batch = append(batch, e); len(batch) == cap(batch) {
				if !yield(batch, nil) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}

// audited has the auditor look at a design's exports.
func audited(ctx context.Context, d design.Design, s *Setting) (*Trial, error) {
	x, err := NewExport(ctx, "", s.Program, s.Events(), d, s.Export)
	if err != nil {
		return nil, err
	}
	defer x.Remove()
	r, err := audit.Run(ctx, x.Options())
	if err != nil {
		return nil, err
	}
	t := newTrial(Audit, d, s)
	t.Truth.Class = x.Truth(s).Class
	t.Class = r.Verdict.Class
	for i := range r.Findings {
		f := &r.Findings[i]
		t.answer(f.Code, auditAnswers[f.Standing], fmt.Sprintf("%d of %d", f.Shown, f.Could))
	}
	return t, nil
}

var auditAnswers = map[audit.Standing]Answer{
	audit.Found: Yes, audit.Occasional: Sometimes, audit.NotFound: No, audit.TooFew: CannotTell,
}
