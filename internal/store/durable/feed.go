package durable

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"recoup/reward"
)

// The feed is an account as its holder looks at it: a line for each purchase and payout as
// it stands now, and one for each change that is of neither. A line has its place for good,
// at the event that it began with, so that pages stay what they are while accounts go on;
// what it says follows from the facts of now. All of a page is of one snapshot.

// FeedKind is what a line of a feed is about.
type FeedKind uint8

// The kinds of lines.
const (
	FeedPurchase   FeedKind = iota + 1
	FeedPayout              // a redemption, at once or in two phases
	FeedAdjustment          // a posting by hand
	FeedBonus               // a posting of a bonus, which is of no purchase
	FeedExpiry              // a posting of rewards that were not used in time
	FeedHold                // what is held and is of no purchase alone
)

// FeedLine is one line of a feed.
type FeedLine struct {
	Kind FeedKind
	At   reward.Instant // event time
	ID   string         // of the purchase or redemption

	Purchase *reward.Detail // of a FeedPurchase
	// Expected is what a purchase that has not posted would earn if it did now, in none of
	// the sums; nil of all others, and where it was not reckoned.
	Expected *int64
	// Holds are why what is pending of a purchase is held, those that end first first.
	Holds []reward.Hold
	// Held is what of the line's reward may not be redeemed yet.
	Held    int64
	Payout  *reward.Payout  // of a FeedPayout
	Posting *reward.Posting // of the others but a FeedHold
}

// FeedPlace is a place in a feed: after a line of those that began with an event. The zero
// one is its beginning.
type FeedPlace struct {
	Event int64 // number of the event
	Line  int   // of the event's, counted from one
	// Open names purchases that had their line before it and had not posted: an earlier
	// authorisation of one is no line. They are the latest MaxFeedOpen at most.
	Open []uint64
}

// IsBeginning reports whether nothing is before the place.
func (p *FeedPlace) IsBeginning() bool { return p.Event == 0 }

// maxExpected bounds for how many purchases of a page it is reckoned what they would earn:
// each is tried on an account of its own.
const maxExpected = 5

// MaxFeedOpen bounds what a place of a feed names.
const MaxFeedOpen = 100

// Feed is a page of an account's feed, with the sums that all of its lines add up to.
type Feed struct {
	Program string
	reward.Units
	Balance, Held, Reserved, Available int64
	Redeemable                         int64
	Lines                              []FeedLine
	Next                               FeedPlace // where to go on; the beginning: there is nothing beyond
}

// Feed returns a page of an account's feed, the newest first, of up to limit lines after a
// place; ok is false if there is no such account. What no event has brought about yet is on
// the first page, besides these.
func (s *Store) Feed(ctx context.Context, account string, after FeedPlace, limit int) (f Feed, ok bool, err error) {
	ok, err = s.read(ctx, account, func(r Reader, row *AccountRow, e *entry) error {
		made := e.account.AsOf(s.now(), nil)
		b := e.account.Balances()
		f = Feed{
			Program: row.Program, Units: e.account.Program().Units(),
			Balance: b.Balance, Held: b.Held, Reserved: b.Reserved, Available: b.Available, Redeemable: e.account.Redeemable(),
		}
		w := feedWalk{account: e.account, viewer: newViewer(), at: after, limit: limit, feed: &f}
		rest := w.allot(b.Held)
		from := row.Last
		if after.IsBeginning() {
			if rest != 0 {
				f.Lines = append(f.Lines, FeedLine{Kind: FeedHold, At: e.account.Now(), Held: rest})
			}
			for i := len(made) - 1; i >= 0; i-- {
				if kind := feedKind(&made[i]); kind != 0 {
					f.Lines = append(f.Lines, FeedLine{Kind: kind, At: made[i].At, Posting: &made[i]})
				}
			}
			w.limit += len(f.Lines)
		} else {
			at, logged, err := r.Numbered(ctx, after.Event)
			if err != nil || !logged || at.Account != account {
				return err // it is no place of this account's, and nothing is after it
			}
			from = after.Event
		}
		if err := eventsBack(ctx, r, from, fewEvents, w.event); err != nil {
			return err
		}
		return s.expectRewards(ctx, r, row, f.Lines)
	})
	return f, ok, err
}

// expectRewards reckons what the latest purchases that have not posted would earn.
func (s *Store) expectRewards(ctx context.Context, r Reader, row *AccountRow, lines []FeedLine) error {
	reckoned := 0
	for i := range lines {
		p := lines[i].Purchase
		if p == nil || p.Settled != 0 || p.Status != reward.Pending || reckoned == maxExpected {
			continue
		}
		reckoned++
		with, err := s.openIn(ctx, r, row)
		if err != nil {
			return err
		}
		without, err := s.openIn(ctx, r, row)
		if err != nil {
			return err
		}
		effect := EffectOf(with.account, without.account, &reward.Event{
			Account: row.Account, Time: s.now(), Type: reward.TransactionSettled,
			Transaction: p.ID, Amount: p.Amount, HasAmount: true, Currency: with.account.Program().Currency,
		})
		if effect.Result.Outcome == reward.Applied {
			lines[i].Expected = &effect.Change
		}
	}
	return nil
}

// feedWalk goes through an account's events, the newest first.
type feedWalk struct {
	account *reward.Account
	viewer  viewer
	holds   map[string][]reward.Hold // of purchases
	at      FeedPlace                // after the last line that there is
	limit   int
	feed    *Feed
}

// allot finds which purchases what is held is of, and returns the rest: that of a bonus, or
// of a period of which one rate is for all, is of none.
func (w *feedWalk) allot(held int64) (rest int64) {
	w.holds = make(map[string][]reward.Hold)
	for _, h := range w.account.Holds() {
		if h.Transaction == "" {
			continue
		}
		w.holds[h.Transaction] = append(w.holds[h.Transaction], h)
		held -= h.Amount
	}
	return held
}

// feedKind is the kind of line that a posting is by itself; 0: it is of a purchase or payout,
// or moved what purchases retain, and is seen there.
func feedKind(p *reward.Posting) FeedKind {
	switch {
	case p.Kind == reward.Adjustment:
		return FeedAdjustment
	case p.Kind == reward.Expiry || p.Kind == reward.ExpiryRestored:
		return FeedExpiry
	case p.OfBonus():
		return FeedBonus
	}
	return 0
}

// event appends the lines that began with an event, until the page is full.
func (w *feedWalk) event(row *EventRow) (more bool, err error) {
	lines, err := w.linesOf(row)
	if err != nil {
		return false, err
	}
	for i := range lines {
		if row.Number == w.at.Event && i < w.at.Line {
			continue
		}
		if len(w.feed.Lines) == w.limit {
			w.feed.Next = w.at
			return false, nil
		}
		w.feed.Lines = append(w.feed.Lines, lines[i])
		w.at.Event, w.at.Line = row.Number, i+1
		if p := lines[i].Purchase; p != nil && p.Settled == 0 {
			w.at.Open = append(w.at.Open, openName(p.ID))
			w.at.Open = w.at.Open[max(0, len(w.at.Open)-MaxFeedOpen):]
		}
	}
	return true, nil
}

// had reports whether a purchase that has not posted had its line at a later event than
// this one, of which it would be the line with a number.
func (w *feedWalk) had(row *EventRow, line int, purchase string) bool {
	here := row.Number == w.at.Event && line <= w.at.Line
	return !here && slices.Contains(w.at.Open, openName(purchase))
}

// openName names a purchase in a place, by few bytes whatever its id is.
func openName(purchase string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(purchase))
	return h.Sum64()
}

// linesOf are the lines that began with an event, the latest first. How many these are may
// change only where an authorisation is followed by another, or by what settles it; it is
// the last of them then.
func (w *feedWalk) linesOf(row *EventRow) (lines []FeedLine, err error) {
	postings, err := postingsOf(row)
	if err != nil {
		return nil, err
	}
	for i := len(postings) - 1; i >= 0; i-- {
		if kind := feedKind(&postings[i]); kind != 0 {
			lines = append(lines, FeedLine{Kind: kind, At: postings[i].At, Posting: &postings[i]})
		}
	}
	typ, _ := reward.ParseType(row.Type)
	authorised := typ == reward.TransactionAuthorized
	begins := authorised || typ == reward.TransactionSettled || typ == reward.RedemptionRequested || typ == reward.RedemptionAuthorized
	if row.Outcome != reward.Applied || !begins {
		return lines, nil
	}
	var e reward.Event
	if err := w.viewer.decoder.Decode(row.Event, &e); err != nil {
		return nil, fmt.Errorf("event %d of the log: %w", row.Number, err)
	}
	if typ == reward.RedemptionRequested || typ == reward.RedemptionAuthorized {
		if p, is := w.account.Payout(e.Fact); is {
			lines = append(lines, FeedLine{Kind: FeedPayout, At: e.Time, ID: e.Fact, Payout: &p})
		}
		return lines, nil
	}
	d, is := w.account.Detail(e.Transaction)
	if !is || authorised && (d.Settled != 0 || w.had(row, len(lines)+1, e.Transaction)) { // it has its line where it settled, or was authorised last
		return lines, nil
	}
	line := FeedLine{Kind: FeedPurchase, At: e.Time, ID: e.Transaction, Purchase: &d, Holds: w.holds[e.Transaction]}
	for _, h := range line.Holds {
		line.Held += h.Amount
	}
	return append(lines, line), nil
}
