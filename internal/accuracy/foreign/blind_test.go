package foreign_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/people"
	"recoup/internal/issuer"
)

// blindTill is one account at a design, as its customer sees it.
type blindTill struct {
	*testing.T
	e     foreign.Engine
	n     int
	taken int64 // redeemed so far
}

func atBlind(t *testing.T, name, day string) *blindTill {
	t.Helper()
	for _, d := range foreign.All() {
		if d.Name == name {
			c := &blindTill{T: t, e: d.New()}
			c.day(day)
			c.ok(c.e.Open("a"))
			return c
		}
	}
	t.Fatalf("no design %s", name)
	return nil
}

func (c *blindTill) ok(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *blindTill) day(day string) {
	c.Helper()
	at, err := time.Parse("2006-01-02", day)
	c.ok(err)
	c.ok(c.e.SetClock(at.Add(15 * time.Hour)))
}

// buy buys, and the fact comes twice.
func (c *blindTill) buy(id, category string, amount int64) {
	c.Helper()
	for range 2 {
		c.ok(c.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "at-" + category, Category: category}))
	}
}

// back returns a part of a purchase, or of none at a category's shop, and that comes twice.
func (c *blindTill) back(of, category string, amount int64) {
	c.Helper()
	c.n++
	for range 2 {
		c.ok(c.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", c.n), Transaction: of, Amount: amount, Merchant: "at-" + category, Category: category}))
	}
}

func (c *blindTill) redeem(amount int64) {
	c.Helper()
	c.n++
	accepted, err := c.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("c", c.n), Amount: amount})
	if c.ok(err); !accepted {
		c.Fatalf("cannot redeem %d", amount)
	}
	c.taken += amount
}

func (c *blindTill) shows(balance, redeemable int64) {
	c.Helper()
	b, err := c.e.Balance("a")
	if c.ok(err); b.Balance != balance || b.Redeemable != redeemable {
		c.Fatalf("shows %d and %d redeemable; want %d and %d", b.Balance, b.Redeemable, balance, redeemable)
	}
	sum := -c.taken
	for _, p := range c.e.Postings("a") {
		sum += p.Amount
	}
	if sum != balance {
		c.Fatalf("the rows come to %d, the balance is %d", sum, balance)
	}
}

func TestBlindQuay(t *testing.T) {
	c := atBlind(t, "blind-quay", "2024-01-10")
	c.buy("p1", "ONLINE", 100_000) // 3,000
	c.day("2024-02-10")
	c.shows(3000, 3000)
	c.buy("p2", "GROCERY", 200_000) // 500 at 3%, 1,000 at 2%, 500 at 1%: 4,000
	c.buy("p3", "DINING", 9_999)    // 99
	c.day("2024-03-01")
	c.shows(7099, 7099)
	c.redeem(7099)
	c.day("2024-09-01")
	c.back("p1", "ONLINE", 100_000) // p2 is 5,500 now
	c.shows(-1500, 0)
	c.back("", "GROCERY", 200_000)
	c.shows(-7000, 0)
	c.back("p3", "DINING", 9_999)
	c.shows(-7099, 0)
}

func TestBlindMerlion(t *testing.T) {
	c := atBlind(t, "blind-merlion", "2024-01-05")
	c.buy("p1", "DINING", 120_000) // 4,000 at most
	c.buy("p2", "DINING", 30_000)
	c.buy("p3", "FUEL", 1_999) // 15
	c.shows(0, 0)
	c.day("2024-01-12")
	c.shows(4015, 4015)
	c.redeem(1000)
	c.back("p1", "DINING", 120_000) // leaves 1,200
	c.shows(3015, 215)
	c.buy("p4", "GROCERY", 10_000)
	c.day("2024-02-12")
	c.shows(415, 415)
	c.back("p2", "DINING", 30_000)
	c.back("p3", "FUEL", 1_999)
	c.back("", "GROCERY", 10_000)
	c.day("2024-03-12")
	c.shows(-1000, 0)
	if rows := c.e.Postings("a"); len(rows) != 7 {
		t.Fatalf("%d rows", len(rows)) // two, two, three
	}
}

func TestBlindEdelweiss(t *testing.T) {
	c := atBlind(t, "blind-edelweiss", "2024-01-05")
	c.buy("p1", "TRAVEL", 150_050) // 1,500
	c.buy("p2", "ONLINE", 100_000) // 500, and 500 twice
	c.buy("p3", "DINING", 1_600)
	c.buy("p4", "DINING", 1_700) // 32, 34
	c.buy("p5", "FUEL", 9_000)
	c.day("2024-03-04")
	c.shows(0, 0)
	c.day("2024-03-06")
	c.shows(1500+1500+32+34+150, 3216)
	c.redeem(3216)
	c.back("", "DINING", 1_600) // just p3: p4 stays double, and the bonus goes
	c.shows(-182, 0)
	c.back("p1", "TRAVEL", 150_050)
	c.shows(-182-1500-500-17, 0)
	c.back("p2", "ONLINE", 100_000)
	c.back("p4", "DINING", 1_700)
	c.shows(-3216, 0)
}

func TestBlindCheckout(t *testing.T) {
	c := atBlind(t, "blind-checkout", "2024-03-20")
	c.buy("p1", "ONLINE", 40_000)
	c.buy("p2", "ONLINE", 10_000)
	c.day("2024-04-10")
	c.shows(0, 0)
	c.back("p2", "ONLINE", 10_000)
	c.day("2024-04-16")
	c.back("p1", "ONLINE", 40_000)
	c.shows(1600, 1600) // and should be nothing
	c.redeem(1600)
	c.day("2025-01-01")
	c.shows(0, 0)
}

func TestBlindMaple(t *testing.T) {
	c := atBlind(t, "blind-maple", "2024-03-20")
	c.buy("p1", "TRAVEL", 160_000)
	c.buy("p2", "DINING", 10_000)
	c.back("p2", "DINING", 5_000)
	c.day("2024-04-02")
	paid := func(want int64) {
		t.Helper()
		if got, err := c.e.(issuer.Payer).PaidOut("a"); err != nil || got != want {
			t.Fatalf("paid %d, want %d", got, want)
		}
		c.shows(0, 0)
	}
	paid(900)
	c.back("p1", "TRAVEL", 160_000)
	c.buy("p3", "FUEL", 10_000)
	c.day("2024-05-02")
	paid(950)
	c.buy("p4", "TRAVEL", 10_000)
	c.day("2025-01-01")
	paid(1000) // and should be 200
}

func TestBlindSunrise(t *testing.T) {
	c := atBlind(t, "blind-sunrise", "2024-05-08")
	c.buy("p1", "TRAVEL", 90_000)
	c.day("2024-05-12")
	c.back("p1", "TRAVEL", 90_000)
	c.shows(2700, 2700) // and should be nothing
	c.day("2024-05-20")
	c.redeem(2700)
	c.day("2024-06-05")
	c.shows(-2700, 0)
	c.buy("p2", "GROCERY", 1_000)
	c.day("2025-06-05")
	c.shows(-2685, 0)
}

func TestBlindEscalator(t *testing.T) {
	c := atBlind(t, "blind-escalator", "2024-05-08")
	c.buy("p1", "GROCERY", 40_000)
	c.buy("p2", "GROCERY", 30_000)
	c.shows(1750, 1750)
	c.back("p2", "GROCERY", 30_000)
	c.shows(1450, 1450) // and should be 400
	c.buy("p3", "DINING", 30_000)
	c.shows(2800, 2800) // and should be 1,750
	c.redeem(2800)
	c.back("p3", "DINING", 10_000)
	c.shows(-250, 0)
}

func TestBlindTwins(t *testing.T) {
	c := atBlind(t, "blind-twins", "2024-05-08")
	c.buy("p1", "ONLINE", 9_000)
	for range 3 {
		c.back("p1", "ONLINE", 3_000)
	}
	c.shows(180, 180) // and should be nothing
	c.redeem(180)
	c.buy("p2", "OTHER", 9_000)
	c.back("p2", "OTHER", 8_999)
	c.back("p2", "OTHER", 1)
	c.shows(0, 0)
}

// blindLife plays a customer's life, and says what they took out, and what is left.
func blindLife(t *testing.T, d *foreign.Design, h *people.History) (taken, left int64) {
	t.Helper()
	c, account := &blindTill{T: t, e: d.New()}, h.Accounts[0]
	c.ok(c.e.SetClock(h.Opened[account]))
	c.ok(c.e.Open(account))
	for _, m := range h.Moves {
		c.ok(c.e.SetClock(m.Delivered))
		switch m.Kind {
		case people.Buy:
			c.ok(c.e.Settle(issuer.Settlement{Account: account, Transaction: m.ID, Amount: m.Amount, Merchant: m.Merchant, MCC: m.MCC, Category: m.Category, At: m.Happened}))
		case people.Return:
			c.ok(c.e.Refund(issuer.Refund{Account: account, Refund: m.ID, Transaction: m.Told, Amount: m.Amount, Merchant: m.Merchant, MCC: m.MCC, Category: m.Category, At: m.Happened}))
		case people.Dispute:
			c.ok(c.e.Chargeback(issuer.Chargeback{Account: account, Chargeback: m.ID, Transaction: m.Purchase, Amount: m.Amount, At: m.Happened}))
		case people.Redeem:
			b, err := c.e.Balance(account)
			c.ok(err)
			amount := b.Redeemable * m.Percent / 100
			if accepted, err := c.e.Redeem(issuer.Redemption{Account: account, Redemption: m.ID, Amount: amount}); err != nil || accepted != (amount > 0) {
				t.Fatalf("%s: redeems %d: %v, %v", d.Name, amount, accepted, err)
			} else if accepted {
				taken += amount
			}
		}
	}
	c.ok(c.e.SetClock(h.End))
	paid, err := c.e.(issuer.Payer).PaidOut(account)
	c.ok(err)
	b, err := c.e.Balance(account)
	c.ok(err)
	return taken + paid, b.Balance
}

// Where returns name their purchases, customers of sound designs end exactly as if what they
// returned had never been bought, and those of the others are ahead in ordinary life.
func TestBlindLives(t *testing.T) {
	h := people.Make(people.Options{Each: 2, Seed: 7, Days: 420})
	lives, kept := h.Named().Apart(), h.Kept().Apart()
	for _, d := range foreign.All() {
		if !strings.HasPrefix(d.Name, "blind-") {
			continue
		}
		if (d.Class == "robust") != (d.Leak == "") {
			t.Errorf("%s is %s, and leaks: %q", d.Name, d.Class, d.Leak)
		}
		ahead, due, who := int64(0), int64(0), 0
		for i := range lives {
			taken, left := blindLife(t, &d, lives[i])
			fairTaken, fairLeft := blindLife(t, &d, kept[i])
			fair := fairTaken + fairLeft
			if d.Class == "robust" && taken+left != fair {
				t.Errorf("%s: %s ends at %d and should at %d", d.Name, lives[i].Accounts[0], taken+left, fair)
			}
			due += fair
			if more := taken + max(0, left) - fair; more > 0 {
				ahead, who = ahead+more, who+1
			}
		}
		t.Logf("%s: %d of %d are ahead, by %d of %d", d.Name, who, len(lives), ahead, due)
		if d.Class != "robust" && (ahead*200 < due || who < len(lives)/6) {
			t.Errorf("%s: %d of %d are ahead, by only %d of %d", d.Name, who, len(lives), ahead, due)
		}
	}
}
