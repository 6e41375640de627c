package intake

import (
	"slices"
	"strings"

	"recoup/internal/intake/history"
)

// table is one of the exports of a program.
type table uint8

const (
	transactions table = iota
	refunds
	rewards
	redemptions
	tableCount // stands for all of them, too
)

// field is what a column of an export holds.
type field uint8

const (
	fieldAccount field = iota
	fieldTransaction
	fieldRefund
	fieldAmount
	fieldNegative // a second column of amounts, which count below zero
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
	noField = fieldCount
)

var fieldNames = strings.Fields("account transaction refund amount negative_amount price quantity currency posted_at kind merchant mcc category article")

func (f field) String() string { return fieldNames[f] }

// byNameOnly are fields that no column is taken for unless the mapping names it:
// exports that say an amount often have these too.
var byNameOnly = []field{fieldNegative, fieldPrice, fieldQuantity, fieldArticle}

// constantFields are those that all rows of a file may have in common.
var constantFields = []field{fieldAccount, fieldCurrency, fieldKind, fieldMerchant, fieldMCC, fieldCategory}

// specs describe the tables; what mappings say for all of them requires nothing.
var specs = [tableCount + 1]struct {
	name               string
	kind, lastKind     history.Kind // of its rows; the first is that of one that does not say it
	id                 field        // names a row
	signed             bool         // may have amounts below zero
	required, optional []field
	kinds              map[string]history.Kind // of a file without a mapping, in lower case
}{
	transactions: {
		name: "transactions", kind: history.Purchase, lastKind: history.Purchase, id: fieldTransaction,
		required: []field{fieldTransaction, fieldAccount, fieldAmount, fieldCurrency, fieldPostedAt},
		optional: []field{fieldNegative, fieldPrice, fieldQuantity, fieldMerchant, fieldMCC, fieldCategory, fieldArticle},
	},
	refunds: {
		name: "refunds", kind: history.Refund, lastKind: history.ChargebackReversed, id: fieldRefund,
		required: []field{fieldRefund, fieldAccount, fieldAmount, fieldPostedAt},
		optional: []field{fieldNegative, fieldPrice, fieldQuantity, fieldTransaction, fieldKind, fieldCurrency, fieldMerchant, fieldMCC, fieldCategory, fieldArticle},
		kinds: map[string]history.Kind{
			"refund": history.Refund, "chargeback": history.Chargeback,
			"refund_reversed": history.RefundReversed, "chargeback_reversed": history.ChargebackReversed,
		},
	},
	rewards: {
		name: "rewards", kind: history.Reward, lastKind: history.Adjustment, id: noField, signed: true,
		required: []field{fieldAccount, fieldAmount, fieldPostedAt}, optional: []field{fieldNegative, fieldTransaction, fieldKind, fieldCurrency},
		kinds: map[string]history.Kind{
			"reward": history.Reward, "grant": history.Reward, "clawback": history.Reward, "restore": history.Reward, "reallocation": history.Reward,
			"adjustment": history.Adjustment, "expiry": history.Adjustment, "expiry_restored": history.Adjustment,
		},
	},
	redemptions: {
		name: "redemptions", kind: history.Redemption, lastKind: history.Redemption, id: noField, signed: true,
		required: []field{fieldAccount, fieldAmount, fieldPostedAt}, optional: []field{fieldNegative, fieldCurrency},
	},
}

func (t table) String() string { return specs[t].name }

// fields are those that rows of the table have, the required ones first.
func (t table) fields() []field { return slices.Concat(specs[t].required, specs[t].optional) }

func (t table) has(f field) bool { return t == tableCount || slices.Contains(t.fields(), f) }

func (t table) requires(f field) bool { return slices.Contains(specs[t].required, f) }

// takes reports whether rows of a kind belong to the table.
func (t table) takes(kind history.Kind) bool {
	return specs[t].kind <= kind && kind <= specs[t].lastKind
}
