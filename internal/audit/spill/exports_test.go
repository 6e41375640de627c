package spill_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// exports writes the exports of a program that grants at settlement and takes
// back: an account buys the more often the lower its number, by the cube, so that
// most have few rows and some have thousands; shops are as uneven.
type exports struct {
	draw     *rand.Rand
	accounts int
	uuids    bool // ids like those of a young company, not like a bank's
	now      reward.Instant
	sold     int
}

func newExports(seed uint64, accounts int) *exports {
	return &exports{
		draw: rand.New(rand.NewPCG(seed, 1)), accounts: accounts,
		now: reward.At(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)),
	}
}

// next returns so many purchases, what belongs to them, and redemptions, each
// table in order of time.
func (x *exports) next(purchases int) (tables [4][]history.Row) {
	categories := []string{"GROCERY", "GAS", "DINING", "TRAVEL", "DEPARTMENT", ""}
	for range purchases {
		x.now += reward.Instant(x.draw.IntN(300)) * reward.Instant(time.Second)
		x.sold++
		u := x.draw.Float64()
		account := x.id("", int(u*u*u*float64(x.accounts)))
		v := x.draw.Float64()
		shop := int(v * v * v * 50_000)
		p := history.Row{
			Kind: history.Purchase, Account: account, ID: x.id("T", x.sold), At: x.now,
			Amount: int64(100 + x.draw.ExpFloat64()*5_000), Merchant: fmt.Sprintf("shop-%05d", shop),
			MCC: reward.MCC(5000 + shop%900), Category: categories[shop%len(categories)],
		}
		tables[0] = append(tables[0], p)
		tables[2] = append(tables[2], history.Row{Kind: history.Reward, Account: account, Transaction: p.ID, Amount: p.Amount/50 + 1, At: p.At})
		if x.draw.IntN(12) == 0 {
			r := history.Row{
				Kind: history.Refund, Account: account, ID: x.id("R", x.sold), Transaction: p.ID, Amount: p.Amount,
				At: p.At + reward.Instant(x.draw.ExpFloat64()*float64(12*reward.Day)), Merchant: p.Merchant, MCC: p.MCC,
			}
			tables[1] = append(tables[1], r)
			tables[2] = append(tables[2], history.Row{Kind: history.Reward, Account: account, Transaction: p.ID, Amount: -p.Amount/50 - 1, At: r.At})
		}
		if x.draw.IntN(10) == 0 {
			tables[3] = append(tables[3], history.Row{Kind: history.Redemption, Account: account, Amount: int64(500 * (1 + x.draw.IntN(8))), At: p.At})
		}
	}
	history.Sort(tables[1])
	history.Sort(tables[2])
	return tables
}

func (x *exports) id(prefix string, n int) string {
	if !x.uuids {
		return fmt.Sprintf("%s%010d", prefix, n)
	}
	g := rand.NewPCG(uint64(len(prefix)), uint64(n))
	a, b := g.Uint64(), g.Uint64()
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a), uint16(a>>32), uint16(a>>48), uint16(b), b>>16)
}
