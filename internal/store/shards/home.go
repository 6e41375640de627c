package shards

import (
	"context"
	"fmt"
	"slices"

	"recoup/internal/store/record"
)

// What is known at home of where the shards are. This is what decides: the file says
// where home is, and has to agree; schemas know what they are, and have to agree too.
const (
	// placements are the shards as they are placed, by number.
	placements record.Table[placement] = "shards"
	// moves are those under way, by the number of the shard that moves.
	moves record.Table[move] = "shards_moving"
	// left are places that shards have left, by number and epoch.
	left record.Table[placement] = "shards_left"
)

// placement is a shard as its record says it.
type placement struct {
	Shard   int64  `json:"shard"`
	Epoch   int64  `json:"epoch"`
	Buckets string `json:"buckets"`
	Place
}

func placementOf(s *Shard) *placement {
	return &placement{Shard: s.Number, Epoch: s.Epoch, Buckets: s.Buckets.String(), Place: s.Place}
}

func (p *placement) shard() (Shard, error) {
	buckets, err := ParseRanges(p.Buckets)
	return Shard{Number: p.Shard, Place: p.Place, Epoch: p.Epoch, Buckets: buckets}, err
}

// move is a shard on its way. Only who has its token may put the shard elsewhere, and
// whoever deletes the record takes that from them.
type move struct {
	Token string      `json:"token"`
	Epoch int64       `json:"epoch"` // of the place that is left
	To    []placement `json:"to"`
}

// readPlacements reads where all shards are, by number.
func readPlacements(ctx context.Context, r record.Reader) (list []Shard, err error) {
	err = placements.Each(ctx, r, record.Span{}, func(_ string, p *placement) (bool, error) {
		s, err := p.shard()
		list = append(list, s)
		return true, err
	})
	slices.SortFunc(list, func(a, b Shard) int { return int(a.Number - b.Number) })
	return list, err
}

// placed reads where all shards are.
func placed(ctx context.Context, home record.Store) (list []Shard, err error) {
	err = home.Read(ctx, func(r record.Reader) (err error) {
		list, err = readPlacements(ctx, r)
		return err
	})
	return list, err
}

// placedNow reads where one shard is, and by whom it is moved; a nil move: by nobody.
func placedNow(ctx context.Context, home record.Store, number int64) (s Shard, m *move, err error) {
	key := record.Key(number)
	err = home.Read(ctx, func(r record.Reader) error {
		p, is, err := placements.Get(ctx, r, key)
		if err != nil {
			return err
		}
		if !is {
			return fmt.Errorf("the ledger has no shard %d", number)
		}
		if s, err = p.shard(); err != nil {
			return err
		}
		under, is, err := moves.Get(ctx, r, key)
		if m = nil; is {
			m = &under
		}
		return err
	})
	return s, m, err
}

// cancel takes a move from who is at it: the shard stays where it is.
func cancel(ctx context.Context, home record.Store, number int64, token string) error {
	key := record.Key(number)
	return home.Change(ctx, func(tx record.Tx) error {
		m, is, err := moves.Get(ctx, tx, key)
		if err == nil && is && m.Token == token {
			moves.Delete(tx, key)
		}
		return err
	})
}
