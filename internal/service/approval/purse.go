package approval

import (
	"context"

	"recoup/internal/store/record"
	"recoup/reward"
)

// The tables: what was done alone, by person or account, currency and hour; and by the
// identity of the event that it is, so that what is asked twice counts once. An id alone
// names nothing: whoever asks may choose it, and another account has its own.
const (
	spent     record.Table[spending] = "alone"
	spentBy   record.Table[spending] = "alone_by"   // by account, source and id
	spentWhen record.Table[struct{}] = "alone_when" // what is in alone_by, by hour and key
)

// What sums are of.
const (
	byPerson, onAccount                 = "person", "account"
	byPersonReversed, onAccountReversed = "person, reversals", "account, reversals"
)

type spending struct {
	Amount int64 `json:"amount"`      // minor units, without sign
	At     int64 `json:"at,omitzero"` // nanoseconds since 1970
	// Of what was done under an identity: by whom, and where.
	Person   string `json:"who,omitzero"`
	Account  string `json:"account,omitzero"`
	Currency string `json:"currency,omitzero"`
	Reversal bool   `json:"reversal,omitzero"` // of a redemption
	Others   int64  `json:"others,omitzero"`   // how many requests besides the first want it done
}

// hour is that in which it was done.
func (s *spending) hour() int64 { return s.At - s.At%int64(grain) }

// when is the key under which it is found by its time.
func (s *spending) when(identity string) string { return record.Key(s.hour()) + identity }

// purses are where it counts: with the person and with the account.
func (s *spending) purses() [2]string {
	own, of := s.kinds()
	return [...]string{record.Key(own, s.Person, s.Currency, s.hour()), record.Key(of, s.Account, s.Currency, s.hour())}
}

// whose is all that counts with the person, and with the account.
func (s *spending) whose() (own, of record.Span) {
	person, account := s.kinds()
	return record.Under(person, s.Person, s.Currency), record.Under(account, s.Account, s.Currency)
}

func (s *spending) kinds() (own, of string) {
	if s.Reversal {
		return byPersonReversed, onAccountReversed
	}
	return byPerson, onAccount
}

// mostPruned bounds how much is let go of at once.
const mostPruned = 100

// spend counts what is done under an identity, and lets go of what no sum is of any more.
func spend(ctx context.Context, tx record.Tx, is *spending, identity string) error {
	old := record.Span{}.Until(record.Key(is.hour() - int64(month+grain)))
	pruned := 0
	err := spentWhen.Each(ctx, tx, old, func(when string, _ *struct{}) (bool, error) {
		key := when[len(record.Key(int64(0))):]
		was, _, err := spentBy.Get(ctx, tx, key)
		if err != nil {
			return false, err
		}
		spentWhen.Delete(tx, when)
		spentBy.Delete(tx, key)
		for _, purse := range was.purses() {
			spent.Delete(tx, purse)
		}
		pruned++
		return pruned < mostPruned, nil
	})
	if err != nil {
		return err
	}
	if err := spentBy.Put(tx, identity, is); err != nil {
		return err
	}
	if err := spentWhen.Put(tx, is.when(identity), &struct{}{}); err != nil {
		return err
	}
	return add(ctx, tx, is, is.Amount)
}

// add adds an amount to what a person and an account have had done.
func add(ctx context.Context, tx record.Tx, of *spending, amount int64) error {
	for _, key := range of.purses() {
		was, _, err := spent.Get(ctx, tx, key)
		if err != nil {
			return err
		}
		was.Amount += amount
		if err := spent.Put(tx, key, &was); err != nil {
			return err
		}
	}
	return nil
}

func sumSince(ctx context.Context, r record.Reader, of record.Span, since reward.Instant) (sum int64, err error) {
	if from := of.From + record.Key(int64(since-grain)); from > of.From {
		of.From = from
	}
	err = spent.Each(ctx, r, of, func(_ string, s *spending) (bool, error) {
		sum += s.Amount
		return true, nil
	})
	return sum, err
}
