package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/security"
	"recoup/reward"
)

// Bounds are what a principal is confined to besides its scopes; access.Limits are.
type Bounds interface {
	MaySend(source string) bool   // whether its events may have the source
	MayTouch(account string) bool // whether it may be used for the account, as far as the id tells
	OfProgram(id string) bool     // whether it may be used for accounts of the program
	Opens(id string) bool         // whether it was made to open accounts of the program
	Confined() bool               // whether it may not be used for every account
}

// touches refuses a principal that is not for an account.
func (s *Server) touches(ctx context.Context, p Principal, account string) *Problem {
	return s.enters(ctx, p, account, "")
}

// enters is touches for what makes the account of a program if it is not there; "": it
// makes none.
func (s *Server) enters(ctx context.Context, p Principal, account, program string) *Problem {
	if p.Limits == nil || !p.Limits.Confined() {
		return nil
	}
	if !p.Limits.MayTouch(account) {
		return problem("account_refused", "").at("account")
	}
	id, ok, err := s.ledger.ProgramOf(ctx, account)
	switch {
	case err != nil:
		return s.failure(ctx, err)
	case !ok:
		id = program
	}
	if id != "" && !p.Limits.OfProgram(id) {
		return problem("account_refused", "").at("account")
	}
	return nil
}

// ofTerms refuses a principal that is not for a program, or for some accounts only: terms
// are those of all accounts of their program.
func ofTerms(p Principal, program string) *Problem {
	if p.Limits == nil || p.Limits.MayTouch(approval.TermsAccount) && p.Limits.OfProgram(program) {
		return nil
	}
	return problem("account_refused", "The API key is not for this program. Use the key that was made for it.").at("program")
}

// confine refuses a request about accounts that the key is not for. What lists those of
// all accounts must be asked for one.
func (s *Server) confine(ctx huma.Context, p Principal) *Problem {
	if p.Limits == nil || !p.Limits.Confined() {
		return nil
	}
	op := ctx.Operation()
	account := ctx.Param("account")
	if account == "" && slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == "account" }) {
		account = ctx.Query("account")
	}
	switch {
	case account != "":
		return s.touches(ctx.Context(), p, account)
	case op.Metadata[ofAllAccounts] == true:
		return problem("account_refused", "This key is for some accounts only: name one of them in the parameter account.").at("account")
	}
	return nil
}

// ofAllAccounts marks an operation that shows something of all accounts.
const ofAllAccounts = "of all accounts"

// screenDecision refuses an event that says what somebody decided, and that its sender does
// not decide by themselves, or that cannot be weighed where it is. follows: others of its
// account are to be applied before it.
func (s *Server) screenDecision(ctx context.Context, e *reward.Event, p Principal, follows bool) refused {
	if s.auth == nil {
		return refused{}
	}
	if e.Type == reward.AccountOpened {
		standard, ok := s.programs.Default()
		if s.approvals != nil && ok && e.Fact != "" && e.Fact != standard.ID && (p.Limits == nil || !p.Limits.Opens(e.Fact)) {
			return refused{code: "approval_needed", detail: "data.program: the key was not made to open accounts of this program; make one by recoup keys create --program " + shown(e.Fact) + ", or propose it by POST /v1/accounts/{account}/opening"}
		}
		if e.Actor != "" || e.Approver != "" {
			return refused{code: "actor_refused", detail: kinds["actor_refused"].advice}
		}
		return refused{}
	}
	if e.Type == reward.RefundReversed && (e.Actor != "" || e.Approver != "") { // senders tell what happened, and people decide in the console
		return refused{code: "actor_refused", detail: kinds["actor_refused"].advice}
	}
	if !decides(e.Type) {
		return refused{}
	}
	nobody := e.Type == reward.RedemptionReversed && e.Actor == "" // it need not say who decided it
	if e.Actor != p.Name && !nobody || e.Approver != "" {
		return refused{code: "actor_refused", detail: "data.actor: expected " + shown(p.Name) + ", who sends it; " + kinds["actor_refused"].advice}
	}
	if !s.weighs(e.Type) || !follows {
		return refused{}
	}
	switch _, logged, err := s.ledger.Logged(ctx, e.Account, e.Source, e.ID); {
	case err != nil:
		return refused{code: "store_unavailable", detail: s.failure(ctx, err).Detail}
	case !logged: // what comes before it may change what it does
		return refused{code: notFirst, detail: kinds[notFirst].advice}
	}
	return refused{} // a redelivery
}

// notFirst is the code of a decision that others of its account come before.
const notFirst = "decision_not_first"

// decides reports whether events of a type say what somebody decided.
func decides(t reward.Type) bool {
	return t == reward.AdjustmentPosted || t == reward.RefundLinked || t == reward.RefundCounted || t == reward.RedemptionReversed || dismisses(t)
}

func dismisses(t reward.Type) bool {
	return t == reward.RefundDismissed || t == reward.ChargebackDismissed || t == reward.TransactionDismissed || t == reward.RedemptionDismissed || t == reward.AttributeDismissed
}

// weighs reports whether events of a type are weighed before they are applied.
func (s *Server) weighs(t reward.Type) bool {
	return s.auth != nil && s.approvals != nil && decides(t) && !dismisses(t)
}

// mayAlone counts what was weighed as done by one person alone, or refuses it where that is
// too much.
func (s *Server) mayAlone(ctx context.Context, want *approval.Proposal) *Problem {
	may, err := s.approvals.Admit(ctx, want, s.alone)
	switch {
	case errors.Is(err, approval.ErrReused):
		return problem("id_reused", "")
	case err != nil:
		return s.failure(ctx, err)
	case !may:
		return problem("approval_needed", "")
	}
	return nil
}

// weigh says what an event does to the balance, as a proposal; nil if that was done before.
// It refuses links that nobody may make and what the rules would not do as the account
// stands: they might do it later, and nobody would have weighed it.
func (s *Server) weigh(ctx context.Context, e *reward.Event, p Principal) (*approval.Proposal, *Problem) {
	if s.approvals == nil && e.Type != reward.RefundLinked {
		return nil, nil // the rules are to say
	}
	want := &approval.Proposal{
		Account: e.Account, Adjustment: e.ID, Source: e.Source, Action: e.Type, About: e.Fact, Transaction: e.Transaction, As: e.As,
		Amount: e.Amount, Currency: e.Currency, Reason: e.Reason, Proposer: personOf(p),
	}
	if e.Type == reward.RedemptionReversed {
		want.Reason = cmp.Or(want.Reason, "the payout came back")
	}
	t, ok, err := s.ledger.Try(ctx, *e)
	switch {
	case err != nil:
		return nil, s.failure(ctx, err)
	case !ok: // an adjustment makes the account
		standard, is := s.programs.Default()
		if e.Type == reward.AdjustmentPosted && is && e.Currency == standard.RewardUnit() {
			return want, nil
		}
		return nil, problem("account_unknown", "").at("account")
	case t.Result.Outcome == reward.Duplicate && e.Type == reward.AdjustmentPosted && e.Source == apiSource:
		return want, nil // a proposal may answer for it
	case t.Result.Outcome == reward.Duplicate:
		return nil, nil
	case t.Result.Outcome == reward.Parked && !decides(e.Type):
		want.Currency, want.Version = t.Currency, t.Version // what it will do is not known yet: it is no more than its amount
		return want, nil
	case t.Result.Outcome != reward.Applied && s.approvals == nil:
		return nil, nil
	case t.Result.Outcome != reward.Applied:
		return nil, undone(t.Result)
	case !t.Linkable:
		return nil, problem("refund_linked", "").at("transaction")
	case !t.Room:
		return nil, problem("no_room", "").at("transaction")
	case e.Type == reward.AdjustmentPosted:
		return want, nil
	}
	want.Amount, want.Currency, want.Version = t.Change, t.Currency, t.Version
	return want, nil
}

// personOf is a principal as the book of proposals knows people.
func personOf(p Principal) approval.Person { return approval.Person{ID: p.ID, Name: p.Name} }

// actor refuses a request that names somebody else than who sends it as its actor, or
// anybody as who agreed to it.
func (s *Server) actor(p Principal, actor, approver string) *Problem {
	switch {
	case s.auth == nil:
		return nil
	case actor != "" && actor != p.Name:
		return problemf("actor_refused", "actor: expected %s, who sends this, or nothing; %s", shown(p.Name), kinds["actor_refused"].advice).at("actor")
	case approver != "":
		return problem("actor_refused", "").at("approver")
	}
	return nil
}

// note tells the security log of what somebody did or tried. What fails there fails nobody
// else: it is in the service's log.
func (s *Server) note(ctx context.Context, what security.What, p Principal, detail string) {
	err := s.security.Note(ctx, security.Entry{What: what, Principal: p.ID, Name: p.Name, Address: security.AddressOf(ctx), Detail: detail})
	if err != nil {
		s.log.ErrorContext(ctx, "the security log cannot be written", "error", err)
	}
}

// from is a request with where it came from and who sent it, for what is logged of it.
func from(r *http.Request, p Principal) *http.Request {
	return r.WithContext(engine.By(security.From(r.Context(), security.HostOf(r.RemoteAddr)), p.ID))
}
