package truth

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"recoup/reward"
)

// Customer is what somebody who returns things is up to.
type Customer string

// The customers.
const (
	IsHonest    Customer = "honest"
	IsDishonest Customer = "dishonest"
)

// Customers are both.
var Customers = []Customer{IsHonest, IsDishonest}

// Defaults and limits of options.
const (
	DefaultAccounts = 240
	DefaultTries    = 60
	MaxAccounts     = 100_000
	MaxTries        = 100_000
)

// Options say what is judged. What is left out has its default.
type Options struct {
	// Accounts is how many there are of each customer, distortion and method. They are
	// dealt to the settings in turn.
	Accounts int
	Seed     uint64
	// Tries is how many histories a dishonest customer tries out.
	Tries int
	// Design is what is judged; nil: Recoup.
	Design Design
	// Distortions are those that are tried; none: all.
	Distortions []Distortion
	// Progress, if not nil, is told how many accounts are judged, from several
	// goroutines.
	Progress func(done int64)
}

func (o Options) withDefaults() (Options, error) {
	if o.Accounts == 0 {
		o.Accounts = DefaultAccounts
	}
	if o.Tries == 0 {
		o.Tries = DefaultTries
	}
	if o.Accounts < 1 || o.Accounts > MaxAccounts {
		return o, fmt.Errorf("truth: %d accounts: expected 1 to %d", o.Accounts, MaxAccounts)
	}
	if o.Tries < 1 || o.Tries > MaxTries {
		return o, fmt.Errorf("truth: %d tries: expected 1 to %d", o.Tries, MaxTries)
	}
	if o.Design == nil {
		o.Design = Recoup
	}
	if len(o.Distortions) == 0 {
		o.Distortions = Distortions()
	}
	return o, nil
}

// Total is how many accounts are judged in all.
func (o Options) Total() int64 {
	o, err := o.withDefaults()
	if err != nil {
		return 0
	}
	return int64(len(Customers) * len(o.Distortions) * len(Methods) * o.Accounts)
}

// trial is one account to judge, and its verdict.
type trial struct {
	customer   Customer
	distortion *Distortion
	method     reward.ClawbackMethod
	setting    *Setting
	number     int // among those of the same customer, distortion and method
	verdict    Verdict
}

// trials are all that there are, in the order of the report.
func (o *Options) trials() (list []trial) {
	settings := Settings()
	for _, c := range Customers {
		for d := range o.Distortions {
			for _, m := range Methods {
				for n := range o.Accounts {
					list = append(list, trial{customer: c, distortion: &o.Distortions[d], method: m, setting: &settings[n%len(settings)], number: n})
				}
			}
		}
	}
	return list
}

// judge makes the account up and judges it. An honest customer does the same whatever
// the network and the method, so that their figures can be compared.
func (t *trial) judge(o *Options) (err error) {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(t.number)))
	seed := rng.Uint64() // of the network
	terms := t.setting.Under(t.method)
	var h *History
	if t.customer == IsHonest {
		h = Honest(rng)
	} else {
		s := &schemer{design: o.Design, terms: terms, distortion: t.distortion, seed: seed, rng: rng}
		if h, err = s.search(o.Tries); err != nil {
			return err
		}
	}
	t.verdict, err = Judge(o.Design, terms, h, t.distortion.Deliver(h, seed))
	return err
}

// Run judges all accounts.
func Run(ctx context.Context, o Options) (*Report, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	trials := o.trials()
	var done atomic.Int64
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range trials {
		if working.Err() != nil {
			break
		}
		group.Go(func() error {
			t := &trials[i]
			if err := t.judge(&o); err != nil {
				return fmt.Errorf("%s customer, %s, %s, %s with %s, account %d: %w",
					t.customer, t.distortion.Name, methodName(t.method), t.setting.Program, t.setting.Words(), t.number, err)
			}
			if n := done.Add(1); o.Progress != nil {
				o.Progress(n)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newReport(&o, trials), nil
}
