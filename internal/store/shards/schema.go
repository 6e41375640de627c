package shards

import (
	"fmt"
	"strconv"
)

// ParseNumber reads the number of a shard.
func ParseNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n >= Stride {
		return 0, fmt.Errorf("expected the number of a shard from 0 to %d, found %q", Stride-1, text)
	}
	return n, nil
}

// Target is where a shard is to move to: its schema has the same name there unless one is
// named. A shard that is not in the file is an error.
func (f *File) Target(number int64, to Place) (Place, error) {
	if to.Schema != "" {
		return to, nil
	}
	for _, s := range f.Shards {
		if s.Number == number {
			to.Schema = s.Schema
			return to, nil
		}
	}
	return to, fmt.Errorf("there is no shard %d", number)
}

// SplitTargets is where the halves of a shard are to be: the one that goes to the new shard,
// and the rest, beside the old one. Schemas that are not named are called after home's, and
// what a shard that is not in the file comes to, Split says.
func (f *File) SplitTargets(number, into int64, to, rest Place) (Place, Place) {
	if to.Schema == "" {
		to.Schema = fmt.Sprintf("%s_%d", f.Home.Schema, into)
	}
	for _, s := range f.Shards {
		if s.Number == number {
			if rest.URL = s.URL; rest.Schema == "" {
				rest.Schema = fmt.Sprintf("%s_%d_%d", f.Home.Schema, number, s.Epoch+1)
			}
		}
	}
	return to, rest
}
