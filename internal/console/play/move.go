package play

import (
	"time"

	"recoup/internal/console/locale"
	"recoup/reward"
)

// Kind is what a move does.
type Kind uint8

// The kinds of moves.
const (
	Buy        Kind = iota + 1 // a purchase clears
	Refund                     // a refund posts
	Chargeback                 // the cardholder wins a dispute
	Redeem                     // the cardholder asks for a payout
	Wait                       // days pass
	Close                      // to the first of the next month: the statement closes
	Set                        // an attribute of the account is set: an offer is activated
)

var kindWords = [...]locale.Text{Buy: "buy", Refund: "refund", Chargeback: "chargeback", Redeem: "redeem", Wait: "wait", Close: "close", Set: "set"}

// String returns the word that begins such a move in a link.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindWords) {
		return "unknown"
	}
	return string(kindWords[k])
}

// Move is one click. Members that its kind does not use are zero.
type Move struct {
	Kind Kind
	// Amount is in minor units. Zero in a chargeback is all of the purchase, zero
	// in a redemption all that is available: the most that either design would
	// pay, for which both are asked.
	Amount int64
	// Of is the number of the purchase, 1 for t1. A linked refund or a chargeback
	// may name one that has not cleared yet. Zero in an unlinked refund: it is of
	// nothing that was bought here.
	Of int
	// Unlinked: the refund does not say of which purchase it is. Of is then known
	// to the reader alone, and to no design.
	Unlinked bool
	// Merchant and Category are what a purchase or refund says of itself; either
	// may be left out.
	Merchant, Category string
	// Code is a merchant category code of four digits, "" for none. Labels are those of a
	// purchase; of a Set the one that it sets. Items are the lines of its receipt, which
	// come to its amount, or those of them that come back.
	Code   string
	Labels reward.Labels
	Items  reward.Items
	// Days is how many pass in a Wait. In a purchase, refund or chargeback it is
	// how many days late the news of it comes.
	Days int
}

const day = 24 * time.Hour

// after returns the time after a move that began at now.
func (m Move) after(now time.Time) time.Time {
	switch m.Kind {
	case Wait:
		return now.AddDate(0, 0, m.Days)
	case Close:
		return nextMonth(now)
	}
	return now
}

// nextMonth is the first of the next month, at the same time of day.
func nextMonth(now time.Time) time.Time { return now.AddDate(0, 1, 1-now.Day()) }

// check says what is wrong with a move that follows so many purchases.
func (m Move) check(bought int) error {
	if m.Amount < 0 || m.Amount > MaxAmount {
		return locale.Errorf("amount %d: expected 0 to %d minor units", m.Amount, int64(MaxAmount))
	}
	if m.Of < 0 || m.Of > MaxMoves {
		return locale.Errorf("purchase %d: expected t1 to t%d", m.Of, MaxMoves)
	}
	if m.Days < 0 || m.Days > MaxDays {
		return locale.Errorf("%d days: expected at most %d", m.Days, MaxDays)
	}
	if m.Merchant != "" && !isWord(m.Merchant) {
		return locale.Errorf("merchant %s: expected up to %d letters, digits and -_.:/", quote(m.Merchant), maxWord)
	}
	if m.Category != "" && !isCategory(m.Category) {
		return locale.Errorf("category %s: expected one in capitals such as GROCERY", quote(m.Category))
	}
	if err := m.checkTerms(); err != nil {
		return err
	}
	plain := m
	switch m.Kind {
	case Buy:
		plain.Amount, plain.Merchant, plain.Category, plain.Days = 0, "", "", 0
		plain.Code, plain.Labels, plain.Items = "", "", ""
	case Refund:
		plain.Amount, plain.Merchant, plain.Category, plain.Days, plain.Of, plain.Unlinked = 0, "", "", 0, 0, false
		plain.Code, plain.Items = "", ""
		if m.Unlinked && m.Of > bought {
			return locale.Errorf("really t%d: expected a purchase before it", m.Of)
		}
		if !m.Unlinked && m.Of == 0 {
			return locale.Errorf("expected a purchase that it is of, or that it is unlinked")
		}
	case Chargeback:
		plain.Amount, plain.Of, plain.Days = 0, 0, 0
		if m.Of == 0 {
			return locale.Errorf("expected a purchase that it is of")
		}
	case Redeem:
		plain.Amount = 0
	case Wait:
		plain.Days = 0
		if m.Days == 0 {
			return locale.Errorf("expected at least one day")
		}
	case Close:
	case Set:
		plain.Labels = ""
		if m.Labels == "" {
			return locale.Errorf("expected what it sets, such as plan=gold")
		}
	default:
		return locale.Errorf("expected buy, refund, chargeback, redeem, wait, close or set")
	}
	if plain != (Move{Kind: m.Kind}) {
		return locale.Errorf("it has more than such a move can have")
	}
	if m.Amount == 0 && (m.Kind == Buy || m.Kind == Refund) {
		return locale.Errorf("expected an amount above zero")
	}
	return nil
}
