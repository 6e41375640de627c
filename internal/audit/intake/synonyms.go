package intake

import (
	"slices"
	"strings"
	"unicode"

	"recoup/internal/audit/history"
)

// synonyms are what exports call the fields, as plain has them, the surest name
// first.
var synonyms = [fieldCount]string{
	fieldAccount: `account accountid accountno accountnumber acct acctid acctno customer customerid customerno custid custno cardholder
		cardholderid member memberid memberno userid user clientid konto kontonummer kontonr kunde kundennummer kundennr cardid
		cardno cardnumber cardtoken card iban`,
	fieldTransaction: `transaction transactionid txn txnid trx trxid tranid trans transid transactionreference originaltransaction
		originaltransactionid originaltxn originaltxnid origtransactionid origtxn origtxnid purchase purchaseid clearingid umsatz
		umsatzid umsatznummer umsatznr transaktion transaktionsid transaktionsnummer buchungsnummer arn reference referencenumber
		ref referenz id originalumsatz ursprung ursprungsumsatz ursprungsumsatznummer ursprungstransaktion`,
	fieldRefund: `refund refundid refundno refundnumber refundreference refundref returnid chargebackid disputeid creditid reversalid
		caseid erstattung erstattungsid erstattungsnummer gutschriftsnummer gutschriftid gutschrift id reference ref`,
	fieldAmount: `amount amt amountminor amountcents amountincents cents transactionamount txnamount settledamount billingamount
		billedamount refundamount rewardamount cashbackamount redemptionamount redeemedamount postedamount betrag summe umsatzbetrag
		cashback points value`,
	fieldCurrency: `currency currencycode ccy curr cur billingcurrency transactioncurrency währung waehrung whg`,
	fieldPostedAt: `postedat posted postingdate postdate postingtime posteddate bookingdate bookingtime bookedat booked settledat
		settlementdate settlementtime settled buchungstag buchungsdatum buchungszeit refundedat refunddate rewarddate rewardedat
		redeemedat redemptiondate transactiondate txndate transactiontime timestamp ts datetime eventtime date createdat created
		time datum valuta wertstellung valuedate epoch epochms`,
	fieldKind: `kind type transactiontype txntype trxtype trantype entrytype refundtype rewardtype eventtype activitytype activity
		buchungsart umsatzart vorgang art transactioncode trancode code`,
	fieldMerchant: `merchant merchantid merchantname merchantno mid shop store payee acceptor cardacceptor händler haendler
		haendlername händlername`,
	fieldMCC:      `mcc mcccode merchantcategorycode categorycode sic siccode branchencode`,
	fieldCategory: `category merchantcategory spendcategory kategorie warengruppe`,
}

const (
	statusNames = `status state transactionstatus txnstatus bookingstatus buchungsstatus`
	// The side of the account that an amount is on.
	sideNames = `dc drcr crdr debitcredit creditdebit dcindicator cdindicator debitcreditindicator creditdebitindicator sollhaben sh
		soll_haben direction vorzeichen`
	// Of amounts in two columns.
	creditNames = `credit creditamount credits haben gutschrift`
	debitNames  = `debit debitamount debits soll belastung`
	debitWords  = `d dr debit s soll - out`
	// Rows in these states did not happen, or not yet.
	openWords = `declined decline denied rejected failed failure error pending authorized authorised authorization open canceled
		cancelled void voided abgelehnt storniert vorgemerkt offen`
)

// kindWords are what exports call the kinds.
var kindWords = map[history.Kind]string{
	history.Purchase: `purchase sale pos buy capture settlement clearing settled kauf einkauf umsatz kartenzahlung zahlung pur sl payment`,
	history.Refund:   `refund ref rf return ret credit cr merchantcredit credited erstattung gutschrift retoure rückgabe`,
	history.Chargeback: `chargeback cb chb dispute disputed rückbelastung reklamation
		chargebackposted`,
	history.RefundReversed:     `refundreversed refundreversal rfr refundbounced refundcancelled`,
	history.ChargebackReversed: `chargebackreversed chargebackreversal cbr representment disputelost chargebacklost`,
	history.Reward: `reward earn earned earning accrual accrue grant granted cashback bonus clawback clawbacks reversal reversed revoke
		revoked takenback takeback deduction restore reallocation prämie gutgeschrieben rückbuchung`,
	history.Adjustment: `adjustment adj adjust manual goodwill correction courtesy kulanz korrektur`,
	history.Redemption: `redemption redeem redeemed redm payout paidout withdrawal statementcredit einlösung auszahlung`,
}

// clawbackWords are those of history.Reward that take something.
const clawbackWords = `clawback clawbacks reversal reversed revoke revoked takenback takeback deduction rückbuchung`

// tableWords are parts of names of files and columns that tell the table.
var tableWords = [tableCount]string{
	refunds:     `refund return chargeback dispute erstattung retoure`,
	rewards:     `reward cashback accrual bonus points praemie prämie`,
	redemptions: `redemption redeem payout einlösung einloesung`,
}

// plain is a name without case, spaces and signs.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' && len(name) == 1 {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// isOneOf reports whether a name or a value is one of the words.
func isOneOf(name, words string) bool { return rank(name, words) >= 0 }

// rank is the place of the name among the words, -1 for none.
func rank(name, words string) int {
	if len(name) > maxText || plain(name) == "" {
		return -1
	}
	return slices.Index(strings.Fields(words), plain(name))
}

// kindOf guesses which kind a word is for.
func kindOf(word string) (history.Kind, bool) {
	for kind, words := range kindWords { // no word is there twice
		if isOneOf(word, words) {
			return kind, true
		}
	}
	return 0, false
}
