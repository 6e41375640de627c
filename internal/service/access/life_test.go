package access_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/reward"
)

func TestAKeyEnds(t *testing.T) {
	o := open(t)
	_, text, err := o.Create(context.Background(), access.Key{Name: "a", Scopes: scope.Read, Expires: reward.At(o.now.Add(time.Hour))})
	if err != nil {
		t.Fatal(err)
	}
	o.now = o.now.Add(time.Hour - time.Second)
	letIn(t, o.Keys, text)
	o.now = o.now.Add(time.Second)
	refused(t, o.Keys, "Bearer "+text, access.Expired)
	if _, _, err := o.Create(context.Background(), access.Key{Name: "b", Scopes: scope.Read, Expires: reward.At(o.now)}); err == nil {
		t.Error("a key was made that had ended")
	}
}

func TestAKeyIsRotatedWithAnOverlap(t *testing.T) {
	o := open(t)
	limits := access.Limits{Sources: []string{"core-*"}, Programs: []string{"everyday"}, Accounts: []string{"eu-"}, Rate: 5}
	old, text, err := o.Create(context.Background(), access.Key{Name: "core", Scopes: scope.Ingest, Limits: limits, Expires: reward.At(o.now.Add(24 * time.Hour))})
	if err != nil {
		t.Fatal(err)
	}
	o.now = o.now.Add(23 * time.Hour)
	next, other, err := o.Rotate(context.Background(), old.ID, 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if next.Follows != old.ID || next.Name != "core" || next.Scopes != old.Scopes || !reflect.DeepEqual(next.Limits, limits) || next.Expires != reward.At(o.now.Add(24*time.Hour)) {
		t.Errorf("the key that follows is %+v", next)
	}
	letIn(t, o.Keys, text)
	letIn(t, o.Keys, other)
	o.now = o.now.Add(10 * time.Minute)
	refused(t, o.Keys, "Bearer "+text, access.Expired)
	letIn(t, o.Keys, other)
	if _, _, err := o.Rotate(context.Background(), old.ID, 0); err == nil {
		t.Error("a key that has ended was rotated")
	}
}

func TestTheListSaysWhenAKeyWasUsed(t *testing.T) {
	o := open(t)
	_, text := o.create(t, "a", scope.Read)
	letIn(t, o.Keys, text)
	if err := o.NoteUses(context.Background()); err != nil {
		t.Fatal(err)
	}
	list, err := o.List(context.Background())
	if err != nil || list[0].Used != reward.At(o.now) {
		t.Errorf("it was used at %v (%v), want %v", list[0].Used, err, o.now)
	}
}

func TestLimits(t *testing.T) {
	l := access.Limits{Sources: []string{"core", "pos-*-eu", "*.example.com"}, Accounts: []string{"eu-"}, Programs: []string{"gold"}}
	for source, want := range map[string]bool{"core": true, "core2": false, "pos-7-eu": true, "pos-7-us": false, "pos-eu": false, "a.example.com": true, "example.com": false, "": false} {
		if l.MaySend(source) != want {
			t.Errorf("it may send for %q: %v", source, !want)
		}
	}
	if !l.MayTouch("eu-1") || l.MayTouch("us-1") || !l.OfProgram("gold") || l.OfProgram("everyday") || !l.Opens("gold") {
		t.Error("its accounts or programs are others")
	}
	var none access.Limits
	if !none.MaySend("x") || !none.MayTouch("x") || !none.OfProgram("x") || none.Opens("x") {
		t.Error("a key without limits has some, or was made for a program")
	}
}

func TestEachKeyHasItsRate(t *testing.T) {
	var rates access.Rates
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	slow, other := &access.Principal{ID: "slow", Limits: access.Limits{Rate: 2}}, &access.Principal{ID: "other", Limits: access.Limits{Rate: 2}}
	take := func(p *access.Principal, want bool) {
		t.Helper()
		if _, ok := rates.Take(p, now); ok != want {
			t.Fatalf("taking a request is %v, want %v", ok, want)
		}
	}
	take(slow, true)
	take(slow, true)
	take(slow, false)
	take(other, true)
	now = now.Add(500 * time.Millisecond)
	take(slow, true)
	take(slow, false)
}
