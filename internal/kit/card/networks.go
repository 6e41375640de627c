package card

// issued is the numbers of one issuer or network: those that begin with from to to, and
// have one of the lengths.
type issued struct {
	network  string
	from, to int // of the first digits, both included; as many digits each
	lengths  lengths
}

// lengths is a set of numbers of digits.
type lengths uint32

func of(digits ...int) (set lengths) {
	for _, n := range digits {
		set |= 1 << n
	}
	return set
}

func upTo(shortest, longest int) (set lengths) {
	for n := shortest; n <= longest; n++ {
		set |= 1 << n
	}
	return set
}

// networks are the issuer identification numbers of ISO/IEC 7812 by the card networks
// that hand them out, with the lengths of their numbers. The source is the table "Issuer
// identification number (IIN)" of Wikipedia's article "Payment card number", which
// gathers what the networks publish; ranges of issuers that ended (Switch, Solo, enRoute,
// Bankcard) and national ones that are within those of another are not named here, nor
// are Maestro numbers of twelve digits, of which there are few, and many ids as short.
var networks = []issued{
	{"UATP", 1, 1, of(15)},
	{"Visa", 4, 4, of(13, 16, 18, 19)},
	{"Mastercard", 51, 55, of(16)},
	{"Mastercard", 2221, 2720, of(16)},
	{"American Express", 34, 34, of(15)},
	{"American Express", 37, 37, of(15)},
	{"Diners Club", 300, 305, upTo(14, 19)},
	{"Diners Club", 3095, 3095, upTo(14, 19)},
	{"Diners Club", 36, 36, upTo(14, 19)},
	{"Diners Club", 38, 39, upTo(14, 19)},
	{"Discover", 6011, 6011, upTo(16, 19)},
	{"Discover", 644, 649, upTo(16, 19)},
	{"Discover, RuPay, Troy", 65, 65, upTo(16, 19)},
	{"UnionPay", 62, 62, upTo(16, 19)},
	{"UnionPay, RuPay", 81, 82, upTo(16, 19)},
	{"JCB", 3528, 3589, upTo(16, 19)},
	{"Maestro", 5018, 5018, upTo(13, 19)},
	{"Maestro", 5020, 5020, upTo(13, 19)},
	{"Maestro", 5038, 5038, upTo(13, 19)},
	{"Maestro", 5893, 5893, upTo(13, 19)},
	{"Maestro", 6304, 6304, upTo(13, 19)},
	{"Maestro", 6759, 6759, upTo(13, 19)},
	{"Maestro", 6761, 6763, upTo(13, 19)},
	{"Dankort", 5019, 5019, of(16)},
	{"Mir", 2200, 2204, upTo(16, 19)},
	{"Borica", 2205, 2205, of(16)},
	{"RuPay, UkrCard, Hipercard", 60, 60, upTo(16, 19)},
	{"RuPay, Verve, Elo", 506, 509, of(16, 18, 19)},
	{"Elo", 5041, 5041, of(16)},
	{"InterPayment, Elo", 636, 636, upTo(16, 19)},
	{"InstaPayment", 637, 639, of(16)},
	{"UzCard", 8600, 8600, of(16)},
	{"UzCard", 5614, 5614, of(16)},
	{"Humo", 9860, 9860, of(16)},
	{"Napas", 9704, 9704, of(16, 19)},
	{"Troy", 9792, 9792, of(16)},
	{"GPN", 1946, 1946, of(16, 18, 19)},
}

// Bounds of the number of digits that a card number has.
const (
	shortest = 13
	longest  = 19
	// prefix is how many first digits tell the networks apart.
	prefix = 4
)

// byPrefix has for each prefix the lengths of the numbers that begin with it.
var byPrefix = func() (table [1e4]lengths) {
	for _, n := range networks {
		width := 1
		for m := n.from; m >= 10; m /= 10 {
			width++
		}
		scale := 1
		for range prefix - width {
			scale *= 10
		}
		for p := n.from * scale; p < (n.to+1)*scale; p++ {
			table[p] |= n.lengths
		}
	}
	return table
}()

// isNumber reports whether digits are the number of a card: of a network, as long as its
// numbers are, with the right check digit.
func isNumber(digits []byte) bool {
	if len(digits) < shortest || len(digits) > longest {
		return false
	}
	first := 0
	for _, d := range digits[:prefix] {
		first = 10*first + int(d)
	}
	return byPrefix[first]&(1<<len(digits)) != 0 && isChecked(digits)
}

// isChecked reports whether the check digit of ISO/IEC 7812 is right: of the digits from
// the last to the first, every second one counts twice, the digits of the doubled ones
// are added, and the sum ends in zero.
func isChecked(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
