package foreign

import (
	"testing"
	"time"

	"recoup/internal/issuer"
)

// lagoonOn is the day of a date, in the tests' count.
func lagoonOn(date string) int {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	return int(t.Sub(lagoonStart.Truncate(24*time.Hour)).Hours() / 24)
}

// on moves the clock to noon of a date and delivers a fact of that day.
func (r lagoonRun) on(date, kind, id, of string, amount int64, category string) {
	r.Helper()
	r.day(lagoonOn(date))
	r.deliver(lagoonFact{at: lagoonOn(date), kind: kind, id: id, of: of, amount: amount, category: category})
}

func (r lagoonRun) expect(what string, balance, redeemable int64) {
	r.Helper()
	b, err := r.e.Balance("a")
	if want := (issuer.Balance{Balance: balance, Redeemable: redeemable}); err != nil || b != want {
		r.Errorf("%s: %+v, %v; want %+v", what, b, err, want)
	}
}

func (r lagoonRun) redeem(id string, amount int64) {
	r.Helper()
	if ok, err := r.e.Redeem(issuer.Redemption{Account: "a", Redemption: id, Amount: amount}); err != nil || !ok {
		r.Fatalf("redemption of %d: %v, %v", amount, ok, err)
	}
}

func TestLagoonWarehouseLeak(t *testing.T) {
	for date, balance := range map[string]int64{"2024-04-14": -600, "2024-04-20": 0} {
		r := lagoonNewRun(t, lagoonWarehouse)
		r.on("2024-03-01", "buy", "sofa", "", 30000, "")
		r.day(lagoonOn("2024-03-02"))
		r.expect("the next day", 600, 600)
		r.redeem("all", 600)
		r.on(date, "return", "back", "sofa", 30000, "")
		r.day(lagoonOn("2024-12-01"))
		r.expect("returned on "+date, balance, 0)
	}
}

func TestLagoonLotsLeak(t *testing.T) {
	r := lagoonNewRun(t, lagoonLots)
	r.on("2024-03-01", "buy", "one", "", 100000, "")
	r.redeem("all", 1500)
	r.on("2024-03-05", "return", "back", "one", 100000, "")
	r.expect("after the return", 0, 0)
	r.on("2024-03-09", "buy", "two", "", 100000, "")
	r.expect("the next purchase", 1500, 1500)
}

// What is there is taken, from other purchases' lots, too: the handler itself works.
func TestLagoonLotsTakeWhatIsThere(t *testing.T) {
	r := lagoonNewRun(t, lagoonLots)
	r.on("2024-03-01", "buy", "one", "", 100000, "")
	r.redeem("all", 1500)
	r.on("2024-03-04", "buy", "two", "", 100000, "")
	r.on("2024-03-05", "return", "back", "one", 40000, "")
	r.expect("the second lot pays", 900, 900)
	r.on("2024-09-05", "return", "late", "one", 60000, "")
	r.expect("however late", 0, 0)
}

func TestLagoonHoldsLeak(t *testing.T) {
	r := lagoonNewRun(t, lagoonHolds)
	r.on("2024-03-22", "buy", "one", "", 200000, "")
	r.on("2024-03-25", "return", "back", "one", 200000, "")
	r.day(lagoonOn("2024-03-26"))
	r.expect("the return is known", 2000, 2000)
	r.redeem("all", 2000)
	r.day(lagoonOn("2024-04-21"))
	r.expect("after the statement", -2000, 0)
	r.on("2024-05-02", "buy", "two", "", 300000, "")
	r.expect("the debt is made up for", 1000, 1000)
}

func TestLagoonCountersLeak(t *testing.T) {
	r := lagoonNewRun(t, lagoonCounters)
	r.on("2024-10-05", "buy", "oct", "", 100000, "GROCERY")
	r.on("2024-11-02", "buy", "nov", "", 100000, "GROCERY")
	r.on("2024-11-02", "buy", "beyond", "", 100000, "GROCERY")
	r.expect("both limits are used up", 10000, 10000)
	r.on("2024-11-03", "return", "back", "oct", 100000, "")
	r.expect("October is returned", 5000, 5000)
	r.on("2024-11-04", "buy", "again", "", 100000, "GROCERY")
	r.expect("November earns twice its limit", 10000, 10000)
}

func TestLagoonProcessorLeak(t *testing.T) {
	for date, kept := range map[string]int64{"2024-05-20": 8000, "2024-05-21": 0} {
		r := lagoonNewRun(t, lagoonProcessor)
		r.on("2024-05-02", "buy", "out", "", 200000, "TRAVEL")
		r.on("2024-05-02", "buy", "home", "", 200000, "TRAVEL")
		r.day(lagoonOn("2024-05-03"))
		r.expect("two tickets", 16000, 16000)
		r.on("2024-05-20", "return", "back-out", "out", 200000, "")
		r.on(date, "return", "back-home", "home", 200000, "")
		r.day(lagoonOn("2024-12-01"))
		r.expect("second returned on "+date, kept, kept)
	}
}
