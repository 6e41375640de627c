package shards

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/kit/yamltree"
)

// Stride is how far apart the event numbers of one shard are, and so how many shards
// there may be: the remainder says who has handed a number out.
const Stride = 4096

// File is a file of shards: where a ledger is that is kept in several schemas.
type File struct {
	Home   Place
	Shards []Shard // by number
}

// Shard is one shard: which buckets it has and where it is.
type Shard struct {
	Number int64
	Place
	Epoch   int64 // of the place, from 1
	Buckets Ranges
}

var form = yamltree.Form{Name: "file of shards"}

// Is reports whether what --db names is a file of shards: there is one of that name, and
// it ends as such files do.
func Is(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json":
		info, err := os.Stat(name)
		return err == nil && info.Mode().IsRegular()
	}
	return false
}

// ReadFile reads a file of shards.
func ReadFile(name string) (*File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse reads a file of shards; name is what errors call it. They name the line.
func Parse(name string, data []byte) (*File, error) {
	top, err := form.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f := new(File)
	var lines []yamltree.Node // by shard
	err = top.Mapping(
		yamltree.Required("home", "the url and schema of what is of no account", func(n yamltree.Node) error { return readPlace(&f.Home, n) }),
		yamltree.Required("shards", "a list of shards", func(n yamltree.Node) error {
			if lines, err = n.List(); err != nil {
				return err
			}
			if len(lines) > Stride {
				return n.Fail("expected at most %d shards, not %d", Stride, len(lines))
			}
			f.Shards = make([]Shard, len(lines))
			for i := range lines {
				if err := readShard(&f.Shards[i], lines[i]); err != nil {
					return err
				}
			}
			return nil
		}),
	)
	if err == nil {
		err = f.check(top, lines)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(f.Shards, func(a, b Shard) int { return int(a.Number - b.Number) })
	return f, nil
}

func readPlace(p *Place, n yamltree.Node, more ...yamltree.Member) error {
	err := n.Mapping(append(more,
		yamltree.Required("url", "postgres://USER:PASSWORD@HOST/NAME", long(&p.URL, "a URL")),
		yamltree.Required("schema", "the name of a schema", yamltree.Text(&p.Schema, "the name of a schema")))...)
	if err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return n.Fail("%v", err)
	}
	return nil
}

// maxURL is how long a URL may be: it may name several hosts.
const maxURL = 4096

func long(dst *string, what string) yamltree.Reader {
	return func(n yamltree.Node) (err error) {
		if *dst, err = n.Scalar(what); err == nil && len(*dst) > maxURL {
			err = n.Fail("expected %s of at most %d bytes", what, maxURL)
		}
		return err
	}
}

func readShard(s *Shard, n yamltree.Node) error {
	return readPlace(&s.Place, n,
		yamltree.Required("shard", "its number", yamltree.Whole(&s.Number, "a shard", Stride-1)),
		yamltree.Required("epoch", "the epoch of its place", yamltree.Between(&s.Epoch, "an epoch", 1, 1<<53)),
		yamltree.Optional("buckets", func(n yamltree.Node) error {
			text, err := n.Scalar("buckets such as 0-127, 200")
			if err == nil {
				if s.Buckets, err = ParseRanges(text); err != nil {
					err = n.Fail("expected buckets from 0 to %d in rising order, such as 0-127, 200; %v", Buckets-1, err)
				}
			}
			return err
		}))
}

// check refuses what no line by itself shows to be wrong, and deals out the buckets where
// the file does not.
func (f *File) check(top yamltree.Node, lines []yamltree.Node) error {
	numbers := make(map[int64]int)
	places := map[string]string{f.Home.key(): "home"}
	given := 0
	for i := range f.Shards {
		s := &f.Shards[i]
		if before, there := numbers[s.Number]; there {
			return lines[i].Fail("shard %d is there twice, first on line %d", s.Number, lines[before].Line())
		}
		numbers[s.Number] = i
		if other, there := places[s.key()]; there {
			return lines[i].Fail("shard %d is where %s is: %s; each has a schema of its own", s.Number, other, s.Place)
		}
		places[s.key()] = "shard " + strconv.FormatInt(s.Number, 10)
		if s.Buckets != nil {
			given++
		}
	}
	switch given {
	case 0:
		f.dealEvenly()
	case len(f.Shards):
	default:
		i := slices.IndexFunc(f.Shards, func(s Shard) bool { return s.Buckets == nil })
		return lines[i].Fail("shard %d: the buckets are missing; expected those of all shards, or of none", f.Shards[i].Number)
	}
	if _, err := deal(f.Shards); err != nil {
		return top.Fail("%v", err)
	}
	return nil
}

// dealEvenly deals all buckets out to the shards, in the order of their numbers.
func (f *File) dealEvenly() {
	order := make([]*Shard, len(f.Shards))
	for i := range f.Shards {
		order[i] = &f.Shards[i]
	}
	slices.SortFunc(order, func(a, b *Shard) int { return int(a.Number - b.Number) })
	for i, s := range order {
		s.Buckets = even(i, len(order))
	}
}

// key is the same of two places that are one.
func (p Place) key() string { return p.server() + "\x00" + p.Schema }

// dealtEvenly reports whether the buckets need not be written down.
func (f *File) dealtEvenly() bool {
	for i := range f.Shards {
		if !slices.Equal(f.Shards[i].Buckets, even(i, len(f.Shards))) {
			return false
		}
	}
	return true
}

// Text is the file as it is written.
func (f *File) Text() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Where a ledger is; see docs/shards.md. `recoup shards` writes this file anew.\n")
	fmt.Fprintf(&b, "home: {url: %q, schema: %q}\nshards:\n", f.Home.URL, f.Home.Schema)
	ranges := !f.dealtEvenly()
	for i := range f.Shards {
		s := &f.Shards[i]
		fmt.Fprintf(&b, "  - {shard: %d, url: %q, schema: %q, epoch: %d", s.Number, s.URL, s.Schema, s.Epoch)
		if ranges {
			fmt.Fprintf(&b, ", buckets: %q", s.Buckets)
		}
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

// WriteFile writes a file of shards in place of the one that is there, all of it or
// nothing. It is for its owner alone, as there may be passwords in it.
func (f *File) WriteFile(name string) (err error) {
	dir := filepath.Dir(name)
	temporary, err := os.CreateTemp(dir, "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = temporary.Write(f.Text())
	err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), name); err != nil {
		return err
	}
	return syncFolder(dir)
}

func syncFolder(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
