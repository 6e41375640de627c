package approval

import (
	"context"
	"fmt"
	"math"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/program"
	"recoup/reward"
)

// Check compares what is listed of proposals, and the versions of programs, with what the
// log says, and says what is not so.
//
// A row of a proposal that waits must be in the log as it stands, or nobody proposed it. One
// that was decided must have been decided like that, except that what was rejected has no
// effect, and that of before decisions were in the log, an adjustment must be there. What
// was posted with an approver must have been proposed by somebody else.
func Check(ctx context.Context, r durable.Reader) (wrong []string, err error) {
	c := check{ctx: ctx, in: r, decoder: event.NewDecoder()}
	err = proposals.Each(ctx, r, record.Span{}, func(key string, row *row) (bool, error) {
		p, err := row.proposal()
		if err != nil {
			c.differ("%v", err)
			return true, nil
		}
		if key != record.Key(p.Number) {
			c.differ("proposal %d lies under another number", p.Number)
		}
		return len(c.wrong) < mostWrong, c.proposal(&p)
	})
	if err == nil {
		err = c.programs()
	}
	return c.wrong, err
}

// mostWrong bounds what is said to be wrong.
const mostWrong = 100

type check struct {
	ctx     context.Context
	in      durable.Reader
	decoder *event.Decoder
	wrong   []string
}

func (c *check) differ(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// logged returns an event of the log.
func (c *check) logged(account, source, id string) (v durable.LoggedView, ok bool, err error) {
	row, ok, err := c.in.Event(c.ctx, durable.Identity{Account: account, Source: source, ID: id})
	if err != nil || !ok {
		return v, false, err
	}
	v = durable.LoggedView{Principal: row.Principal, Received: row.Received, Result: reward.Result{Outcome: row.Outcome, Code: row.Code}}
	err = c.decoder.Decode(row.Event, &v.Event)
	return v, err == nil, err
}

func (c *check) proposal(p *Proposal) error {
	made, ok, err := c.logged(p.home(), Source, p.Adjustment)
	if err != nil {
		return err
	}
	was, is := proposalIn(&made)
	proposed := ok && is && was.same(p) && was.Proposer == p.Proposer
	switch {
	case p.State == Rejected:
		return nil
	case p.State == Open && !proposed:
		c.differ("proposal %d (%v) is listed as open, and the log does not say that anybody proposed it: nothing comes of it", p.Number, p)
		return nil
	case p.State == Open:
		return nil
	}
	done, ok, err := c.logged(p.Account, engine.ConsoleSource, p.Adjustment)
	switch {
	case err != nil:
		return err
	case !ok || !p.doneBy(&done.Event):
		c.differ("proposal %d (%v) is listed as approved, and the log does not say so", p.Number, p)
	case done.Principal == "": // of before the log said who
	case !proposed:
		c.differ("proposal %d (%v) was approved, and the log does not say that anybody proposed it", p.Number, p)
	case made.Principal == done.Principal:
		c.differ("proposal %d (%v) was approved by who proposed it, %s", p.Number, p, made.Principal)
	}
	return nil
}

// programs checks that versions say truly who agreed to them, and that none came otherwise:
// but the first of a program, which who starts the service puts, and those of a time when the
// service was open, as the log says and not the row.
func (c *check) programs() error {
	versions, err := durable.ReadVersions(c.ctx, c.in)
	if err != nil {
		return err
	}
	var open reward.Instant
	looked := false
	agreed := make(map[string]bool) // programs of which a version was agreed to
	for i := range versions {       // by program and number
		v := &versions[i]
		if v.Proposal == "" {
			if v.Version > 1 && !looked {
				looked = true
				if open, err = c.lastOpen(); err != nil {
					return err
				}
			}
			if agreed[v.Program] || v.Version > 1 && v.Created > open {
				c.differ("version %d of program %s was published without a second person", v.Version, v.Program)
			}
			continue
		}
		agreed[v.Program] = true
		done, ok, err := c.logged(TermsAccount, engine.ConsoleSource, v.Proposal)
		if err != nil {
			return err
		}
		digest := done.Event.Digest
		if !ok || done.Event.Type != reward.ProgramPublished || done.Event.Fact != v.Program ||
			digest != DigestOf(v.Program, 0, v.Document) && digest != DigestOf(v.Program, begins(v), v.Document) {
			c.differ("version %d of program %s is not what the log says was published", v.Version, v.Program)
		}
	}
	return nil
}

// begins is the first instant of the cycle with which a version came into force.
func begins(v *durable.StoredVersion) reward.Instant {
	p, err := program.Parse(v.Program, []byte(v.Document))
	if err != nil {
		return v.From.Start() // a document that cannot be read is told of elsewhere
	}
	return p.CycleStart(v.From)
}

// lastOpen is when the last event was received that nobody in particular sent: until then
// the service was open, or its log was loaded. Zero: it never was.
func (c *check) lastOpen() (at reward.Instant, err error) {
	usual := append([]reward.Type{reward.AccountOpened, reward.TransactionAuthorized}, aloneTypes...)
	err = c.in.LogBack(c.ctx, math.MaxInt64, 0, usual, func(row *durable.EventRow) (bool, error) {
		if row.Principal == "" || row.Principal != engine.System && access.Unnamed(row.Principal) {
			at = row.Received
		}
		return at == 0, nil
	})
	return at, err
}
