package intake

import (
	"maps"
	"slices"
	"strings"

	"recoup/internal/audit/history"
)

// table is one of the exports of a program.
type table uint8

const (
	transactions table = iota
	refunds
	rewards
	redemptions
	tableCount
)

// field is what a column of an export holds.
type field uint8

const (
	fieldAccount field = iota
	fieldTransaction
	fieldRefund
	fieldAmount
	// fieldNegative is a second column of amounts, which count below zero.
	fieldNegative
	fieldPrice
	fieldQuantity
	fieldCurrency
	fieldPostedAt
	fieldKind
	fieldMerchant
	fieldMCC
	fieldCategory
	fieldArticle
	fieldCount
	// noField stands for a row as a whole.
	noField = fieldCount
)

var fieldNames = [fieldCount]string{
	fieldAccount: "account", fieldTransaction: "transaction", fieldRefund: "refund", fieldAmount: "amount",
	fieldNegative: "negative_amount", fieldPrice: "price", fieldQuantity: "quantity", fieldCurrency: "currency",
	fieldPostedAt: "posted_at", fieldKind: "kind", fieldMerchant: "merchant", fieldMCC: "mcc", fieldCategory: "category", fieldArticle: "article",
}

func (f field) String() string { return fieldNames[f] }

// byNameOnly are fields that no column is taken for unless the mapping names it:
// exports that say an amount often have these too.
var byNameOnly = []field{fieldNegative, fieldPrice, fieldQuantity, fieldArticle}

// layouts describe the tables.
var layouts = [tableCount]struct {
	name               string
	kind               history.Kind // of a row that does not say one
	required, optional []field
	kinds              map[string]history.Kind // words for kinds of a file without a mapping, in lower case
	signed             bool                    // may have amounts below zero
}{
	transactions: {
		name: "transactions", kind: history.Purchase,
		required: []field{fieldTransaction, fieldAccount, fieldAmount, fieldCurrency, fieldPostedAt},
		optional: []field{fieldNegative, fieldPrice, fieldQuantity, fieldMerchant, fieldMCC, fieldCategory, fieldArticle},
	},
	refunds: {
		name: "refunds", kind: history.Refund,
		required: []field{fieldRefund, fieldAccount, fieldAmount, fieldPostedAt},
		optional: []field{fieldNegative, fieldPrice, fieldQuantity, fieldTransaction, fieldKind, fieldCurrency, fieldMerchant, fieldMCC, fieldCategory, fieldArticle},
		kinds: map[string]history.Kind{
			"refund": history.Refund, "chargeback": history.Chargeback,
			"refund_reversed": history.RefundReversed, "chargeback_reversed": history.ChargebackReversed,
		},
	},
	rewards: {
		name: "rewards", kind: history.Reward, signed: true,
		required: []field{fieldAccount, fieldAmount, fieldPostedAt}, optional: []field{fieldNegative, fieldTransaction, fieldKind, fieldCurrency},
		kinds: map[string]history.Kind{
			"reward": history.Reward, "grant": history.Reward, "clawback": history.Reward, "restore": history.Reward, "reallocation": history.Reward,
			"adjustment": history.Adjustment, "expiry": history.Adjustment, "expiry_restored": history.Adjustment,
		},
	},
	redemptions: {
		name: "redemptions", kind: history.Redemption, signed: true,
		required: []field{fieldAccount, fieldAmount, fieldPostedAt}, optional: []field{fieldNegative, fieldCurrency},
	},
}

func (t table) String() string { return layouts[t].name }

// fields are those that rows of the table have, the required ones first.
func (t table) fields() []field { return slices.Concat(layouts[t].required, layouts[t].optional) }

// has reports whether rows of the table have the field at all.
func (t table) has(f field) bool { return slices.Contains(t.fields(), f) }

func (t table) requires(f field) bool { return slices.Contains(layouts[t].required, f) }

// id is the field that names a row of the table, if any does.
func (t table) id() field {
	switch t {
	case transactions:
		return fieldTransaction
	case refunds:
		return fieldRefund
	}
	return noField
}

// kindNamed returns the kind that a file without a mapping calls so.
func (t table) kindNamed(word string) (history.Kind, bool) {
	kind, ok := layouts[t].kinds[word]
	if !ok {
		kind, ok = layouts[t].kinds[strings.ToLower(word)]
	}
	return kind, ok
}

// kindWords lists the words that kinds of the table are mapped to.
func (t table) kindWords() []string { return slices.Sorted(maps.Keys(layouts[t].kinds)) }

// tableOf is the table that rows of a kind belong to.
func tableOf(kind history.Kind) table {
	switch kind {
	case history.Purchase:
		return transactions
	case history.Reward, history.Adjustment:
		return rewards
	case history.Redemption:
		return redemptions
	}
	return refunds
}
