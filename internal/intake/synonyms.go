package intake

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"recoup/internal/intake/history"
	"recoup/program"
)

// synonyms are what exports call the fields, as plain has them, the surest name
// first; an ending that says an id may follow.
var synonyms = [fieldCount]string{
	fieldAccount:     `account acct customer cust cardholder member user client konto kunde kunden card cardtoken iban`,
	fieldTransaction: linkNames + originNames + ` reference referencenumber ref referenz id`,
	fieldRefund: `refund refundreference refundref returnid chargebackid disputeid creditid reversalid caseid erstattung erstattungs
		gutschrifts gutschrift id reference ref`,
	fieldAmount: `amount amt amountminor amountcents amountincents cents transactionamount txnamount settledamount billingamount
		billedamount refundamount rewardamount cashbackamount redemptionamount redeemedamount postedamount betrag summe umsatzbetrag
		cashback points value total umsatzsumme linetotal`,
	fieldPrice:    `price unitprice preis einzelpreis stückpreis`,
	fieldQuantity: `quantity qty menge anzahl stück units`,
	fieldArticle:  `stockcode sku article articleid artikel artikelnummer item itemid product productid productcode ean gtin`,
	fieldCurrency: `currency currencycode ccy curr cur billingcurrency transactioncurrency währung waehrung whg`,
	fieldPostedAt: `postedat posted postingdate postdate postingtime posteddate bookingdate bookingtime bookedat booked settledat
		settlementdate settlementtime settled buchungstag buchungsdatum buchungszeit refundedat refunddate rewarddate rewardedat
		redeemedat redemptiondate transactiondate txndate transactiontime timestamp ts datetime eventtime date createdat created
		time datum valuta wertstellung valuedate transdate invoicedate purchasedate kaufdatum completeddate month monat period epoch epochms`,
	fieldKind: `kind type transactiontype txntype trxtype trantype entrytype refundtype rewardtype eventtype activitytype activity
		buchungsart umsatzart vorgang art transactioncode trancode code`,
	fieldMerchant: `merchant merchantname mid shop store vendor supplier payee acceptor cardacceptor händler haendler
		haendlername händlername`,
	fieldMCC:      `mcc mcccode merchantcategorycode merchantcategorycodemcc categorycode sic siccode branchencode`,
	fieldCategory: `category merchantcategory spendcategory kategorie warengruppe`,
}

const (
	// linkNames are of the column that says which purchase a row is of, and originNames
	// where the row has an id of the same sort itself.
	linkNames = `transaction txn trx tran trans transactionreference purchase clearing umsatz transaktion transaktions buchungs arn
		txnref transref paymentref receipt invoice bon beleg`
	originNames = ` originaltransaction originaltxn origtransaction origtxn originalumsatz ursprung ursprungsumsatz ursprungstransaktion
		originaltxnref origtxnref originalref origref originalreference originalpurchase origpurchase parenttransaction parenttxn parenttxnref
		parentref relatedtransaction relatedtxn linkedtransaction`
	// vague are names that columns of any content have.
	vague = `id code art value points summe cents cashback ref reference referenz referencenumber type vorgang time date created createdat epoch
		activity card total item product`
	// Of dates in several columns.
	yearNames   = `year jahr`
	monthNames  = `month monat`
	dayNames    = `day tag`
	clockNames  = `time uhrzeit zeit`
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
	history.Purchase: `purchase sale pos buy capture settlement clearing settled kauf einkauf verkauf umsatz kartenzahlung zahlung pur sl payment cardpayment`,
	history.Refund:   `refund ref rf return ret credit cr merchantcredit cardrefund credited erstattung gutschrift retoure rückgabe`,
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

// currencySigns are what stands for a currency where only one is meant as a rule.
var currencySigns = map[string]string{"€": "EUR", "£": "GBP", "$": "USD", "¥": "JPY", "zł": "PLN", "₹": "INR", "Euro": "EUR"}

// plain is a name without case, spaces and signs, and without the currency that
// it says behind it, as "Amount (GBP)" and "Betrag in €" do.
func plain(name string) string {
	for range 2 {
		i := strings.LastIndexAny(name, " (/_-")
		if i <= 0 {
			break
		}
		last := strings.Trim(name[i:], " ()/_-")
		if !isCurrency(last) && currencySigns[last] == "" && last != "in" {
			break
		}
		name = strings.TrimRight(name[:i], " (/_-")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' && len(name) == 1 {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

func isCurrency(code string) bool {
	_, known := program.MinorUnits(code)
	return known
}

// isKnown reports whether any field may be called so.
func isKnown(name string) bool {
	return slices.ContainsFunc(synonyms[:], func(words string) bool { return rank(name, words) >= 0 })
}

// isOneOf reports whether a name or a value is one of the words.
func isOneOf(name, words string) bool { return slices.Contains(strings.Fields(words), plain(name)) }

// idEndings may follow the name of what an id is of.
var idEndings = regexp.MustCompile(`^(.+?)(id|no|nr|number|nummer)$`)

// rank is the place of the name among the words, -1 for none.
func rank(name, words string) int {
	list, name := strings.Fields(words), plain(name)
	at := slices.Index(list, name)
	if stem := idEndings.FindStringSubmatch(name); at < 0 && stem != nil {
		at = slices.Index(list, stem[1])
	}
	return at
}

// kindOf guesses which kind a word is for, 0 for none.
func kindOf(word string) history.Kind {
	for kind, words := range kindWords { // no word is there twice
		if isOneOf(word, words) {
			return kind
		}
	}
	return 0
}
