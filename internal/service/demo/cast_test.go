package demo_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/service/demo"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// ending is how the story of an account ends.
type ending struct {
	balance, redeemed int64
	available         int64 // a redemption may take; anyAvailable where it depends on the day
	closed            bool
	reviews           []reward.ReviewKind
	certain           int               // refunds without a link that can be of one purchase only
	denied            []reward.Code     // redemptions, in order
	retained          map[string]int64  // of purchases
	status            map[string]string // of purchases
}

const anyAvailable = -1 << 62

var endings = map[string]ending{
	"anna":   {balance: -1_00, available: -1_00, redeemed: 10_00, retained: map[string]int64{"anna-headphones": 0, "anna-groceries-1": 5_40, "anna-groceries-2": 3_60}},
	"erin":   {balance: -45_00, available: -45_00, redeemed: 45_00, denied: slices.Repeat([]reward.Code{reward.InsufficientBalance}, 8)},
	"ben":    {balance: 12_00, available: 12_00, retained: map[string]int64{"ben-party": 0, "ben-pantry": 12_00}, status: map[string]string{"ben-party": "REFUNDED"}},
	"tara":   {balance: -200_00, available: -200_00, redeemed: 200_00, retained: map[string]int64{"tara-furniture": 0}},
	"victor": {balance: 6_00, available: 6_00, retained: map[string]int64{"victor-groceries-1": 1_00, "victor-groceries-2": 5_00}},
	"uma":    {balance: -4_00, available: -4_00, redeemed: 4_00},
	"wanda":  {balance: 1_000, available: 1_000, redeemed: 1_000, retained: map[string]int64{"wanda-trip": 2_500, "wanda-laptop": 1_000}},
	"kim": {balance: 7_80, available: anyAvailable, denied: []reward.Code{reward.GraceHold, reward.InsufficientBalance},
		retained: map[string]int64{"kim-hotel": 0, "kim-dinner": 2_40, "kim-flight": 5_40, "kim-dinner-2": 0},
		status:   map[string]string{"kim-hotel": "REFUNDED", "kim-flight": "PART_REF", "kim-dinner-2": "PENDING"}},
	"chloe": {balance: 1_240, available: 400, redeemed: 500, denied: []reward.Code{reward.InsufficientBalance}},
	"dan":   {balance: 30_00, available: 6_00, denied: []reward.Code{reward.InsufficientBalance}},
	"farid": {balance: 13_50, available: 13_50, reviews: []reward.ReviewKind{reward.MatchedWithoutLink}, retained: map[string]int64{"farid-camera-1": 13_50, "farid-camera-2": 0}},
	"grace": {balance: 18_00, available: 18_00, status: map[string]string{"grace-laptop": "SETTLED"}},
	"hugo":  {balance: 7_20, available: 2_70, reviews: []reward.ReviewKind{reward.WaitsForTransaction}},
	"ines":  {reviews: []reward.ReviewKind{reward.OverRefunded}, retained: map[string]int64{"ines-speaker": 0}},
	"jonas": {balance: 3_60, available: 3_60, reviews: []reward.ReviewKind{reward.Contested}},
	"omar":  {reviews: []reward.ReviewKind{reward.FoundNoSpend, reward.MatchedWithoutLink}},
	"paul":  {balance: 7_50, available: 7_50, reviews: []reward.ReviewKind{reward.ReversedBefore}, status: map[string]string{"paul-turntable": "SETTLED"}},
	"rosa":  {balance: 4_80, available: 4_80, certain: 1, retained: map[string]int64{"rosa-groceries": 4_80, "rosa-camera": 0}},
	"sven":  {balance: 5_40, available: 5_40, reviews: []reward.ReviewKind{reward.ForeignCurrency}, status: map[string]string{"sven-headphones": "SETTLED"}},
	"leo":   {balance: -6_00, available: -6_00, redeemed: 24_00, closed: true, retained: map[string]int64{"leo-groceries": 18_00, "leo-books": 0}},
	"mia":   {},
}

// odd is how the accounts with troublesome ids end, of which one has a review.
var odd = ending{balance: 3_00, available: 3_00}

// TestStoriesEndAsTheySay at whatever moment the data is loaded: in the middle of
// a month, at its very beginning and end, after a leap day, in a new year.
func TestStoriesEndAsTheySay(t *testing.T) {
	t.Parallel()
	for _, now := range []time.Time{
		noon,
		time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 12, 1, 0, 20, 0, 5, time.FixedZone("", -5*3600)),
		time.Date(2027, 1, 31, 23, 59, 59, 999999999, time.UTC),
		time.Date(2028, 2, 29, 9, 0, 0, 0, time.UTC),
		time.Date(2028, 3, 31, 18, 0, 0, 0, time.UTC),
	} {
		t.Run(now.Format(time.RFC3339), func(t *testing.T) {
			s := load(t, demo.LoadCast, now)
			told := 0
			for _, story := range demo.Cast() {
				want, named := endings[story.Account]
				if named {
					told++
				} else {
					want = odd
				}
				check(t, s, story.Account, want, named)
			}
			if told != len(endings) {
				t.Errorf("%d of %d endings have a story", told, len(endings))
			}
		})
	}
}

func check(t *testing.T, s *service, account string, want ending, named bool) {
	t.Helper()
	a := accountOf(t, s, account)
	if want.available == anyAvailable {
		want.available = a.Available
	}
	if a.Balance != want.balance || a.Available != want.available || a.Redeemed != want.redeemed || a.Closed != want.closed {
		t.Errorf("%q: balance %d, available %d, redeemed %d, closed %v; expected %+v", account, a.Balance, a.Available, a.Redeemed, a.Closed, want)
	}
	var open []reward.ReviewKind
	for _, r := range reviews(t, s, durable.ReviewFilter{Account: account}) {
		open = append(open, r.Kind)
	}
	if slices.Sort(open); named && !slices.Equal(open, want.reviews) {
		t.Errorf("%q: open reviews %v, expected %v", account, open, want.reviews)
	}
	if n := len(reviews(t, s, durable.ReviewFilter{Account: account, Kind: reward.CertainWithoutLink})); n != want.certain {
		t.Errorf("%q: %d refunds are matched with certainty, expected %d", account, n, want.certain)
	}
	var denied []reward.Code
	for _, row := range logged(t, s, account) {
		if row.Type == reward.RedemptionRequested.String() && row.Outcome == reward.Rejected {
			denied = append(denied, row.Code)
		}
	}
	if !slices.Equal(denied, want.denied) {
		t.Errorf("%q: redemptions denied for %v, expected %v", account, denied, want.denied)
	}
	for id, retained := range want.retained {
		if v := purchase(t, s, account, id); v.Retained != retained {
			t.Errorf("%q: purchase %s retains %d, expected %d", account, id, v.Retained, retained)
		}
	}
	for id, status := range want.status {
		if v := purchase(t, s, account, id); v.Status.String() != status {
			t.Errorf("%q: purchase %s is %v, expected %s", account, id, v.Status, status)
		}
	}
}

func purchase(t *testing.T, s *service, account, id string) reward.Detail {
	t.Helper()
	v, ok, err := s.Transaction(context.Background(), account, id)
	if err != nil || !ok {
		t.Fatalf("%q has no purchase %s, error %v", account, id, err)
	}
	return v
}

// TestStoriesAreReceivedAsTheyHappen, so that pages do not show them as late.
func TestStoriesAreReceivedAsTheyHappen(t *testing.T) {
	t.Parallel()
	s := load(t, demo.LoadCast, noon)
	for _, row := range logged(t, s, "anna") {
		v, ok, err := s.Logged(context.Background(), row.Account, row.Source, row.ID)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if late := v.Received.Time().Sub(v.Event.Time.Time()); late < 0 || late > time.Minute {
			t.Errorf("%s at %v was received %v later", row.Type, v.Event.Time, late)
		}
	}
}

func ExampleCast() {
	story := demo.Cast()[0]
	fmt.Printf("%s: %s\n", story.Account, story.Title)
	// Output: anna: Redeemed, then returned: a debt that later rewards repay
}
