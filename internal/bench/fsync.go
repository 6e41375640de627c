package bench

import (
	"context"
	"os"
	"path/filepath"
)

// syncs measures how often a second the disk keeps a page for good: what a
// commit costs at least.
func syncs(l *Load, dir string) func(context.Context) (*Measurement, error) {
	return func(ctx context.Context) (*Measurement, error) {
		f, err := os.Create(filepath.Join(dir, "syncs"))
		if err != nil {
			return nil, err
		}
		defer os.Remove(f.Name())
		defer f.Close()
		// The file keeps its length, so that a sync is of the page alone.
		const pages, size = 1024, 4096
		page := make([]byte, size)
		for range pages {
			if _, err := f.Write(page); err != nil {
				return nil, err
			}
		}
		n := int64(0)
		return loop(ctx, l, 1, func(context.Context, int) (int, error) {
			n++
			page[0] = byte(n)
			if _, err := f.WriteAt(page, n%pages*size); err != nil {
				return 0, err
			}
			return 1, f.Sync()
		})
	}
}
