package server

import (
	"context"
	"strings"
	"time"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

const apiSource = engine.APISource

// ownSources is what every other source of the service's own begins with.
const ownSources = "recoup:"

// refused is why a well-formed event is not handed on to the engine. It leaves no
// trace on an account: the same event may come again.
type refused struct {
	code, detail string
	// member is where the number of a card may be, which is why the event is kept apart.
	member string
	fate   durable.Fate // of one that is
}

// strangers is why an event is refused whose account its sender's key is not for.
var strangers = refused{code: "account_refused", detail: "subject: " + kinds["account_refused"].advice}

// screen looks at an event, before anything is touched, for what no rule of
// rewards is about. The zero refused is none. follows: others of its account are to be
// applied before it.
func (s *Server) screen(ctx context.Context, e *reward.Event, p Principal, now reward.Instant, follows func(account string) bool) refused {
	if e.Source == apiSource || strings.HasPrefix(e.Source, ownSources) {
		return refused{code: "source_reserved", detail: kinds["source_reserved"].advice}
	}
	if e.Type.OnRecord() || e.Account == approval.TermsAccount {
		return refused{code: "source_reserved", detail: "type, subject: " + e.Type.String() + " and the account " + approval.TermsAccount + " are the service's own"}
	}
	if p.Limits != nil {
		if !p.Limits.MaySend(e.Source) {
			return refused{code: "source_refused", detail: "source: the key is not for " + shown(e.Source) + "; " + kinds["source_refused"].advice}
		}
		if p.Limits.Confined() {
			if !p.Limits.MayTouch(e.Account) {
				return strangers
			}
			if e.Type == reward.AccountOpened && len(s.programs.Versions(e.Fact)) > 0 && !p.Limits.OfProgram(e.Fact) {
				return strangers
			}
			if e.Type == reward.AccountOpened && e.Fact != "" && len(s.programs.Versions(e.Fact)) == 0 { // what follows it would be of the default
				return refused{code: reward.ProgramUnknown.String(), detail: "data.program: " + kinds["program_not_found"].advice}
			}
		}
	}
	if e.Time > now+s.maxAhead {
		return refused{code: "invalid_time", detail: "time: expected at most " + time.Duration(s.maxAhead).String() + " after now, " + now.String() + ", found " + e.Time.String() + "; " + kinds["invalid_time"].advice}
	}
	if scope := scopeOfType(e.Type); !p.Scopes.Has(scope) {
		return refused{code: "scope_missing", detail: "type: " + e.Type.String() + " is only for a key with the scope " + scope.String()}
	}
	if decides(e.Type) {
		// It is not kept apart: who lets it in would not weigh what somebody else decided.
		if member, is := event.CardNumber(e, s.exemptOf(e.Source)); is {
			return refused{code: cardNumber, detail: member + ": it looks like the number of a card; a decision is not kept apart for that. Send it without."}
		}
		return s.screenDecision(ctx, e, p, s.approvals != nil && follows(e.Account))
	}
	if why := s.screenDecision(ctx, e, p, false); why.code != "" {
		return why
	}
	// Last, so that only what the sender may deliver is kept for somebody to let in.
	if member, is := event.CardNumber(e, s.exemptOf(e.Source)); is {
		return refused{code: cardNumber, member: member}
	}
	return refused{}
}

// exemptOf returns which members of a source's events are not looked at for numbers of
// cards; nil: all are. The merchant of an event that a processor's webhook says is never: it
// is an id of the card network, of as many digits as a card's.
func (s *Server) exemptOf(source string) func(member string) bool {
	processor := s.sources != nil && s.sources.Has(source)
	if s.exemptions == nil && !processor {
		return nil
	}
	return func(member string) bool {
		return processor && member == "data.merchant" || s.exemptions != nil && s.exemptions.Has(source, member)
	}
}

// scopeOfType is what a key must be for, besides Ingest, to deliver an event of
// the type: what the endpoints for the same want. A key that reports purchases
// cannot pay out.
func scopeOfType(t reward.Type) scope.Set {
	switch t {
	case reward.RedemptionRequested, reward.RedemptionReversed, reward.RedemptionAuthorized, reward.RedemptionCaptured, reward.RedemptionReleased:
		return scope.Redeem
	case reward.RefundLinked, reward.RefundCounted, reward.RefundDismissed, reward.ChargebackDismissed, reward.TransactionDismissed, reward.RedemptionDismissed, reward.AttributeDismissed:
		return scope.Operate
	case reward.AdjustmentPosted, reward.AccountClosed:
		return scope.Admin
	}
	return scope.Ingest
}
