package approval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/service/approval"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// TestRecords: what people and other programs find in the database.
func TestRecords(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		waiting, approved, rejected := o.propose(5001), o.propose(5002), o.propose(5003)
		approved, _, err := o.Approve(t.Context(), approved.Number, anna)
		if err != nil {
			t.Fatal(err)
		}
		if rejected, err = o.Reject(t.Context(), rejected.Number, jo, "no"); err != nil {
			t.Fatal(err)
		}
		o.inspect(t)
		for _, c := range []struct {
			p           approval.Proposal
			state, rest string
		}{
			{waiting, "open", ``},
			{approved, "approved", fmt.Sprintf(`,"decider":{"id":"oidc:anna","name":"Anna"},"decided_at":%d`, approved.Decided)},
			{rejected, "rejected", fmt.Sprintf(`,"decider":{"id":"oidc:jo","name":"Jo"},"decided_at":%d,"note":"no"`, rejected.Decided)},
		} {
			want := fmt.Sprintf(`{"number":%d,"account":"acct","adjustment":%q,"amount":%d,"currency":"USD","reason":"goodwill",`+
				`"proposer":{"id":"key-1","name":"Oscar"},"proposed_at":%d,"state":%q%s}`, c.p.Number, c.p.Adjustment, c.p.Amount, c.p.Proposed, c.state, c.rest)
			err := o.db.Read(t.Context(), func(r record.Reader) error {
				got, _, err := r.Get(t.Context(), "proposals", record.Key(c.p.Number))
				if string(got) != want {
					t.Errorf("kept is %s\nwant %s", got, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A state of a later version of the program is not taken for another.
func TestAStateThatIsNotKnown(t *testing.T) {
	o := embedded(t)
	p := o.propose(5000)
	key := record.Key(p.Number)
	err := o.db.Change(t.Context(), func(tx record.Tx) error {
		value, _, err := tx.Get(t.Context(), "proposals", key)
		value = []byte(strings.Replace(string(value), `"open"`, `"shelved"`, 1))
		tx.Put("proposals", key, value)
		tx.Put("proposals_open", key, value)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, get := o.Get(t.Context(), p.Number)
	_, _, approve := o.Approve(t.Context(), p.Number, anna)
	_, reject := o.Reject(t.Context(), p.Number, anna, "")
	_, list := o.Open(t.Context(), 0, 10)
	_, finish := o.Finish(t.Context())
	for _, err := range []error{get, approve, reject, list, finish} {
		if err == nil || !strings.Contains(err.Error(), `proposal 1 has the state "shelved"`) {
			t.Errorf("%v, want an error that names the state", err)
		}
	}
}

// counted counts the records that are looked at.
type counted struct {
	durable.Driver
	looked int
}

func (c *counted) Read(ctx context.Context, f func(record.Reader) error) error {
	return c.Driver.Read(ctx, func(r record.Reader) error { return f(reading{r, c}) })
}

type reading struct {
	record.Reader
	by *counted
}

func (r reading) Get(ctx context.Context, table, key string) ([]byte, bool, error) {
	r.by.looked++
	return r.Reader.Get(ctx, table, key)
}

func (r reading) Scan(ctx context.Context, table string, s record.Span, f func(string, []byte) (bool, error)) error {
	return r.Reader.Scan(ctx, table, s, func(key string, value []byte) (bool, error) {
		r.by.looked++
		return f(key, value)
	})
}

// What a page costs depends on its length alone: not on how many proposals there are, nor
// on how those that it shows lie between others.
func TestAPageCostsNoMoreThanIsOnIt(t *testing.T) {
	o := embedded(t)
	db := &counted{Driver: o.db}
	book := approval.New(approval.Options{Records: db, Now: o.now, Accounts: o.store, Apply: o.apply})
	var waiting, rejected []int64
	for i := range 100 {
		p := o.propose(5000)
		if i%40 < 3 {
			rejected = append(rejected, p.Number)
			if _, err := o.Reject(t.Context(), p.Number, jo, ""); err != nil {
				t.Fatal(err)
			}
		} else {
			waiting = append(waiting, p.Number)
		}
	}
	slices.Reverse(rejected)
	for _, c := range []struct {
		name string
		read func() ([]approval.Proposal, error)
		want []int64
	}{
		{"the oldest that wait", func() ([]approval.Proposal, error) { return book.Open(t.Context(), 0, 4) }, waiting[:4]},
		{"the next that wait", func() ([]approval.Proposal, error) { return book.Open(t.Context(), waiting[36], 4) }, waiting[37:41]},
		{"the latest that were decided", func() ([]approval.Proposal, error) { return book.Recent(t.Context(), 0, 4) }, rejected[:4]},
		{"those before", func() ([]approval.Proposal, error) { return book.Recent(t.Context(), rejected[3], 4) }, rejected[4:8]},
	} {
		db.looked = 0
		list, err := c.read()
		var got []int64
		for _, p := range list {
			got = append(got, p.Number)
		}
		if err != nil || !slices.Equal(got, c.want) || db.looked > 4 {
			t.Errorf("%s: %d (%v), and %d records were looked at; want %d", c.name, got, err, db.looked, c.want)
		}
	}
}

// Versions of a program come one after the other by number. One that follows one which two
// people agreed to, and that nobody agreed to, is named whatever time its row gives.
func TestAVersionWithoutASecondPersonIsNamedByItsNumber(t *testing.T) {
	o := embedded(t)
	type version struct {
		Program  string `json:"program"`
		Version  int64  `json:"version"`
		Document string `json:"document"`
		Created  int64  `json:"created_at"`
		Proposal string `json:"proposal,omitzero"`
	}
	const programs record.Table[version] = "programs"
	var wrong []string
	err := o.db.Change(t.Context(), func(tx record.Tx) error {
		for _, v := range []version{{"gold", 1, "a", 5, ""}, {"gold", 2, "b", 6, ""}, {"gold", 3, "c", 9, "terms-1"}, {"gold", 4, "d", 2, ""}, {"silver", 1, "a", 20, ""}} {
			if err := programs.Put(tx, record.Key(v.Program, v.Version), &v); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = o.db.View(t.Context(), func(r durable.Reader) (err error) {
			wrong, err = approval.Check(t.Context(), r)
			return err
		})
	}
	want := []string{"version 3 of program gold is not what the log says was published", "version 4 of program gold was published without a second person"}
	if err != nil || !slices.Equal(wrong, want) {
		t.Errorf("it names %q (%v), want %q", wrong, err, want)
	}
}

// What costs nothing when nothing was decided: after the first time those are looked at that
// somebody began to decide, however many wait.
func TestFinishLooksAtWhatWasBegun(t *testing.T) {
	o := embedded(t)
	db := &counted{Driver: o.db}
	book := approval.New(approval.Options{Records: db, Now: o.now, Accounts: o.store, Apply: o.apply})
	var numbers []int64
	for range 20 {
		numbers = append(numbers, o.propose(5000).Number)
	}
	finish := func(want, most int) {
		t.Helper()
		db.looked = 0
		if n, err := book.Finish(t.Context()); n != want || err != nil || db.looked > most {
			t.Errorf("finished are %d (%v), and %d records were looked at; want %d and at most %d", n, err, db.looked, want, most)
		}
	}
	finish(0, 1000)
	finish(0, 0)
	o.meddling(after)
	for _, n := range numbers[3:5] { // in another process
		o.Approve(t.Context(), n, anna)
	}
	o.meddling(before)
	o.Reject(t.Context(), numbers[7], jo, "no")
	o.meddling(nil)
	finish(2, 20)
	finish(0, 2) // the one that somebody began to reject
	if _, err := o.Reject(t.Context(), numbers[7], jo, "no"); err != nil {
		t.Error(err)
	}
	finish(0, 0)
}

// Nobody can have more wait than anybody works off, and nobody else is kept from proposing
// by it.
func TestWhatWaitsIsBounded(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		first := o.propose(5000)
		for range approval.MaxOpenOf - 1 {
			o.propose(5000)
		}
		propose := func(by approval.Person) error {
			_, _, _, err := o.Propose(t.Context(), approval.Proposal{Account: "acct", Amount: 5000, Reason: "goodwill", Proposer: by}, limit(2000))
			return err
		}
		var full *approval.FullError
		if err := propose(oscar); !errors.As(err, &full) || full.Waiting != approval.MaxOpenOf || !strings.Contains(err.Error(), "100 proposals by Oscar wait") {
			t.Errorf("one more: %v", err)
		}
		if list, err := o.Open(t.Context(), 0, approval.MaxPage); err != nil || len(list) != approval.MaxOpenOf {
			t.Errorf("%d wait (%v)", len(list), err)
		}
		if err := propose(jo); err != nil {
			t.Errorf("by somebody else: %v", err)
		}
		if _, err := o.Reject(t.Context(), first.Number, oscar, ""); err != nil {
			t.Fatal(err)
		}
		if err := propose(oscar); err != nil {
			t.Errorf("after one was withdrawn: %v", err)
		}
	})
}

// However many wait, a start finishes what is half-way among them.
func TestFinishLooksAtAllThatWait(t *testing.T) {
	o := embedded(t)
	var numbers []int64
	for i := range approval.MaxPage + 2 {
		by := approval.Person{ID: fmt.Sprint("key-", i/approval.MaxOpenOf), Name: fmt.Sprint("Oscar ", i/approval.MaxOpenOf)}
		p, _, _, err := o.Propose(t.Context(), approval.Proposal{Account: "acct", Amount: 5000, Reason: "goodwill", Proposer: by}, limit(2000))
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, p.Number)
	}
	o.meddling(after)
	half := []int64{numbers[0], numbers[approval.MaxPage-1], numbers[approval.MaxPage], numbers[approval.MaxPage+1]}
	for _, n := range half {
		o.Approve(t.Context(), n, anna)
	}
	o.meddling(nil)
	if n, err := o.Finish(t.Context()); n != len(half) || err != nil {
		t.Errorf("finished are %d (%v), want %d", n, err, len(half))
	}
	for _, n := range half {
		if p := o.get(n); p.State != approval.Approved {
			t.Errorf("%+v", p)
		}
	}
}
