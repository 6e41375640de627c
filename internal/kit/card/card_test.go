package card_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"recoup/internal/kit/card"
)

// numbers are those that networks and processors publish for tests, and for networks that
// publish none the first of a range.
var numbers = map[string]string{
	"Visa": "4111111111111111", "Visa of 13 digits": "4222222222222", "Visa of 19 digits": first("4", 19),
	"Mastercard": "5555555555554444", "Mastercard, second range": "2223003122003222", "Mastercard, its end": first("2720", 16),
	"American Express": "378282246310005", "American Express, 34": first("34", 15),
	"Diners Club": "30569309025904", "Diners Club of 16 digits": "3056930009020004", "Diners Club, 36": first("36", 14), "Diners Club, 38": "38520000023237",
	"Discover": "6011111111111117", "Discover, 64": first("644", 16), "Discover of 19 digits": first("6011", 19), "Discover, 65": first("65", 16),
	"UnionPay": "6200000000000005", "UnionPay of 19 digits": "6205500000000000004",
	"JCB": "3530111333300000", "Maestro": "6759649826438453", "Maestro of 19 digits": "6304000000000000000", "Maestro of 13 digits": first("6759", 13),
	"Dankort": "5019717010103742", "Mir": first("2200", 16), "RuPay": first("607", 16), "RuPay, 81": first("81", 16), "RuPay, 508": first("508", 16),
	"Verve": first("5061", 19), "Elo": first("509", 16), "Hipercard": "6062826786276634", "Troy": first("9792", 16),
	"UATP": first("1", 15), "UzCard": first("8600", 16), "Humo": first("9860", 16), "Napas": first("9704", 16), "GPN": first("1946", 16), "Borica": first("2205", 16),
	"InstaPayment": first("637", 16), "InterPayment": first("636", 16), "UkrCard": first("6040", 19),
}

// first is the first number of a prefix, as long as that, with its check digit.
func first(prefix string, length int) string {
	number := prefix + strings.Repeat("0", length-len(prefix)-1)
	for last := '0'; ; last++ {
		if isChecked(number + string(last)) {
			return number + string(last)
		}
	}
}

func TestNumbersOfAllNetworksAreFoundHoweverTheyAreWritten(t *testing.T) {
	for network, number := range numbers {
		last := number[len(number)-1]
		group := func(size int, between string) string {
			var groups []string
			for rest := number; rest != ""; rest = rest[min(size, len(rest)):] {
				groups = append(groups, rest[:min(size, len(rest))])
			}
			return strings.Join(groups, between)
		}
		for _, text := range []string{
			number, group(4, " "), group(4, "-"), group(6, "."), group(4, " - "), group(1, "-"), group(1, " "), group(5, "\u00a0"), group(4, "\u2011"), group(4, "_"), group(4, "/"),
			group(4, "\u200b"), group(4, "\u00ad"), "pan-" + number, "pan" + number, "c" + number, number + "x", "pan=" + number + "=2512101", "t_" + group(4, "-") + "_v2",
			"the card " + group(4, " ") + ", which was lost", "no. 12, card " + number + ", 3 days", "order 7 " + group(4, " ") + " of 2026",
			"0000" + number, scripted(number, '٠'), scripted(number, '０'), scripted(number, '०'),
			"550e8400-e29b-41d4-a716-446655440000 " + number, "x\xff" + number,
		} {
			if !card.Has(text) {
				t.Errorf("%s: %q is not found", network, text)
			}
			masked := card.Mask(text)
			if card.Has(masked) || strings.Contains(masked, number) || len([]rune(masked)) != len([]rune(text)) {
				t.Errorf("%s: %q is masked as %q", network, text, masked)
			}
		}
		wrong := number[:len(number)-1] + string('0'+(last-'0'+1)%10)
		if card.Has(wrong) {
			t.Errorf("%s: %s has a wrong check digit", network, wrong)
		}
	}
}

// scripted writes a number in the digits of a script, by its zero.
func scripted(number string, zero rune) string {
	return strings.Map(func(r rune) rune { return zero + r - '0' }, number)
}

func TestWhatIsNoCardNumber(t *testing.T) {
	for _, text := range []string{
		"", "acct-1", "0000000000000000", "411111111111", "41111111111111111111", "1411111111111111",
		"7000000000000005",                                 // no network's
		"5500000000000000004",                              // not as long as its network's
		"4111 1111 1111 x 1111", "4111,    1111 1111 1111", // letters, and more than stands within a number
		"C502065/501665", "2026-01-05T10:00:00.000Z", "1767225600000", "1767225600123456", "1767225600123456789",
		"41111111-1111-4111-8111-11111111111a",                             // a UUID
		"0b4111111111111111f00000000000000000000000000000000000000000004f", // a hash
		"e660e4240392790000", // a word in hexadecimal
		"----------------",
	} {
		if card.Has(text) {
			t.Errorf("%q is taken for a card number", text)
		}
		if got := card.Mask(text); got != text {
			t.Errorf("%q is masked as %q", text, got)
		}
	}
}

func TestAMaskShowsTheLastFourDigits(t *testing.T) {
	for text, want := range map[string]string{
		"4111111111111111":                               "************1111",
		"pan-4111 1111-1111 1111!":                       "pan-**** ****-**** 1111!",
		"378282246310005, then 5555555555554444, then 7": "***********0005, then ************4444, then 7",
	} {
		if got := card.Mask(text); got != want {
			t.Errorf("%q is masked as %q, want %q", text, got, want)
		}
	}
}

// How often ids are taken for card numbers that are none. The bounds are twice what is
// seen; go test -v shows what is.
func TestFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	digits := func(n int) string {
		b := []byte{byte('1' + random.IntN(9))}
		for len(b) < n {
			b = append(b, byte('0'+random.IntN(10)))
		}
		return string(b)
	}
	hex := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789abcdef"[random.IntN(16)]
		}
		return string(b)
	}
	for _, c := range []struct {
		ids     string
		make    func(i int) string
		atMost  int // per 100,000
		samples int
	}{
		{"random numbers of 13 to 19 digits", func(int) string { return digits(13 + random.IntN(7)) }, 3_000, 100_000},
		{"UUIDs", func(int) string { return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-8" + hex(3) + "-" + hex(12) }, 1, 100_000},
		{"UUIDs without dashes", func(int) string { return hex(32) }, 1, 100_000},
		{"the first 16 of a hash", func(int) string { return hex(16) }, 40, 100_000},
		{"numbers in sequence", func(i int) string { return sequence(1_000_000_000_000_000, i) }, 0, 100_000},
		{"the same among Visa's numbers", func(i int) string { return sequence(4_000_000_000_000_000, i) }, 10_000, 100_000},
		{"milliseconds since 1970", func(i int) string { return sequence(1_767_225_600_000, 1000*i) }, 0, 100_000},
		{"nanoseconds since 1970", func(i int) string { return sequence(1_767_225_600_000_000_000, 1_000_003*i) }, 0, 100_000},
		{"moments", func(i int) string {
			return "2026-01-" + sequence(10, i%19) + " 1" + digits(1) + ":" + sequence(10, i%50) + ":" + sequence(10, i%50) + "." + digits(3)
		}, 0, 100_000},
	} {
		before, now := 0, 0
		for i := range c.samples {
			id := c.make(i)
			if byCheckDigitAlone(id) {
				before++
			}
			if card.Has(id) {
				now++
			}
		}
		t.Logf("%-36s by the check digit alone %6.3f %%, by all %6.3f %%", c.ids, 100*float64(before)/float64(c.samples), 100*float64(now)/float64(c.samples))
		if now*100_000 > c.atMost*c.samples {
			t.Errorf("%s: %d of %d are taken for card numbers", c.ids, now, c.samples)
		}
	}
}

func sequence(from, i int) string { return strconv.Itoa(from + i) }

// byCheckDigitAlone is what a check would find that looks at nothing else: 13 to 19
// digits with the right check digit.
func byCheckDigitAlone(text string) bool {
	return len(text) >= 13 && len(text) <= 19 && strings.Trim(text, "0123456789") == "" && isChecked(text)
}

func isChecked(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			d = 2*d/10 + 2*d%10
		}
		sum += d
	}
	return sum%10 == 0
}
