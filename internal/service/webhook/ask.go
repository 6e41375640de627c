package webhook

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"recoup/internal/service/access"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// Asker is who changes an endpoint: a principal, and what it is called.
type Asker = outbox.Asker

// ErrSamePerson says that who would enable an endpoint is who had it changed.
var ErrSamePerson = errors.New("whoever changed where an endpoint sends cannot enable it")

// ask disables an endpoint until somebody else agrees.
func ask(e *outbox.Endpoint, by Asker, now int64) {
	e.Disabled = cmp.Or(e.Disabled, now)
	if !slices.Contains(e.Askers, by) {
		e.Askers = append(e.Askers, by)
	}
}

// agree lets an endpoint be enabled, unless by somebody who asked for it. Who is who is as
// it is known now.
func agree(ctx context.Context, r record.Reader, e *outbox.Endpoint, by *Asker) error {
	for i := range e.Askers {
		if by == nil {
			break
		}
		one, err := access.OneIn(ctx, r, access.Actor(e.Askers[i]), access.Actor(*by))
		if err != nil {
			return err
		}
		if one {
			return ErrSamePerson
		}
	}
	e.Askers = nil
	return nil
}

// wider reports whether an endpoint of some types is told what one of others is not.
func wider(types, than []string) bool {
	if len(types) == 0 {
		return len(than) > 0
	}
	return len(than) > 0 && slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(than, t) })
}
