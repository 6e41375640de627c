package exempt_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"recoup/internal/store/exempt"
	"recoup/internal/store/pebble/pebbletest"
)

func TestExemptionsAreOnRecord(t *testing.T) {
	ctx := context.Background()
	db := pebbletest.Open(t)
	clock := func() time.Time { return time.Unix(1, 0) }
	open := func() *exempt.Rules {
		r, err := exempt.Open(ctx, db, clock)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, other := open(), open()
	set := func(source, member string, is, want bool) {
		t.Helper()
		c, changed, err := one.Set(ctx, exempt.Change{Source: source, Member: member, Exempt: is, Actor: "maria", Reason: "a sequence number"})
		if err != nil || changed != want || c.Source != source {
			t.Errorf("%s of %s: %+v, %v, %v", member, source, c, changed, err)
		}
	}
	set("core", "data.transaction", true, true)
	set("core", "data.transaction", true, false)
	set("pos", "subject", true, true)
	set("pos", "subject", false, true)
	set("pos", "subject", false, false)
	if other.Has("core", "data.transaction") {
		t.Error("known before it was read")
	}
	if err := other.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*exempt.Rules{one, other, open()} {
		if !r.Has("core", "data.transaction") || r.Has("core", "data.merchant") || r.Has("shop", "data.transaction") || r.Has("pos", "subject") {
			t.Error("not what was set is exempt")
		}
	}
	if list, err := one.InForce(ctx); err != nil || len(list) != 1 || list[0].Member != "data.transaction" || list[0].Number != 1 {
		t.Errorf("in force: %+v, %v", list, err)
	}
	list, err := one.Changes(ctx, 0, 10)
	if err != nil || len(list) != 3 || list[0] != (exempt.Change{Number: 3, Source: "pos", Member: "subject", Actor: "maria", Reason: "a sequence number", At: 1e9}) {
		t.Errorf("on record: %+v, %v", list, err)
	}
	if older, err := one.Changes(ctx, 3, 1); err != nil || len(older) != 1 || older[0] != list[1] {
		t.Errorf("before the last: %+v, %v", older, err)
	}
	for _, c := range []exempt.Change{
		{Member: "subject", Actor: "m", Reason: "r"}, {Source: "s", Member: "data.amount", Actor: "m", Reason: "r"},
		{Source: "s", Member: "transaction", Actor: "m", Reason: "r"}, {Source: "s", Member: "subject", Actor: "m"},
		{Source: "s", Member: "subject", Actor: "m", Reason: "for 4111 1111 1111 1111"},
	} {
		c.Exempt = true
		var invalid *exempt.InvalidError
		if _, _, err := one.Set(ctx, c); !errors.As(err, &invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
