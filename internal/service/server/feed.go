package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/budget"
	"recoup/internal/service/feed"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// FeedPage is a page of an account as its holder sees it. Amounts are minor units of
// reward_unit; of all entries they add up to those of the account.
type FeedPage struct {
	Account  string `json:"account" example:"acct-1"`
	Currency string `json:"currency" example:"USD" doc:"Of purchases"`
	RewardUnit
	Language   string      `json:"language" example:"en" doc:"That why is in"`
	Balance    int64       `json:"balance" example:"425" doc:"pending + available + reserved; negative is a debt"`
	Pending    int64       `json:"pending" example:"125" doc:"What of the balance cannot be used yet"`
	Available  int64       `json:"available" example:"300" doc:"What can be used, or where negative is owed"`
	Reserved   int64       `json:"reserved" example:"0" doc:"Set aside for payouts"`
	Redeemable int64       `json:"redeemable" example:"300" doc:"The most that a payout could be now, by the program's rules"`
	Entries    []FeedEntry `json:"entries" nullable:"false" doc:"The newest first. What no event has brought about yet comes besides, on the first page"`
	Paged
}

// FeedEntry is a purchase, a payout, or a change that is of neither, as it stands now.
type FeedEntry struct {
	ID        string        `json:"id" example:"purchase:t1" doc:"The same on every page, for as long as there is the account"`
	Kind      string        `json:"kind" doc:"hold is what cannot be used yet and is of no purchase alone"`
	State     string        `json:"state" doc:"none: there is no reward"`
	At        string        `json:"at" format:"date-time" doc:"When it happened"`
	Purchase  *FeedPurchase `json:"purchase,omitempty" doc:"What was bought"`
	Payout    string        `json:"payout,omitempty" doc:"The redemption"`
	Pending   int64         `json:"pending" doc:"What of the reward cannot be used yet"`
	Available int64         `json:"available" doc:"What it adds to what can be used; negative takes away"`
	Reserved  int64         `json:"reserved" doc:"What is set aside for it"`
	Expected  *int64        `json:"expected,omitempty" doc:"What a purchase that is not charged yet would earn if it were now; in none of the others, and left out where it was not reckoned"`
	TakenBack int64         `json:"taken_back" doc:"What of the reward was taken back, without sign; in none of the others"`
	Until     *string       `json:"pending_until" format:"date-time" doc:"When what is pending can be used, if nothing happens before; null where nothing is, or no time ends it"`
	Why       string        `json:"why" doc:"Why it stands so, as a sentence in language"`
}

// FeedPurchase is what was bought, in minor units of the currency.
type FeedPurchase struct {
	Transaction string `json:"transaction"`
	Merchant    string `json:"merchant,omitempty" doc:"As the processor sent it"`
	Amount      int64  `json:"amount"`
	Returned    int64  `json:"returned" doc:"What of the amount came back"`
}

type feedInput struct {
	OfAccount
	Page
	Lang   string `query:"lang" maxLength:"100" example:"de" doc:"The language of why, as BCP 47 has it: en, de, fr or es, or what is nearest. Left out: as Accept-Language says"`
	Accept string `header:"Accept-Language" doc:"Where lang is left out"`
}

type feedOutput struct {
	Links
	Language string `header:"Content-Language" doc:"That why is in"`
	Body     FeedPage
}

func (s *Server) feed(ctx context.Context, in *feedInput) (*feedOutput, error) {
	var after durable.FeedPlace
	if in.Cursor != "" {
		p := parseCursor('f', in.Cursor)
		after = durable.FeedPlace{Event: p.Int(), Line: int(p.Int())}
		for len(p.Left) > 0 && !p.Bad && len(after.Open) < durable.MaxFeedOpen {
			after.Open = append(after.Open, uint64(p.Int()))
		}
		if !p.Whole() || after.Event < 1 || after.Line < 1 {
			return nil, errCursor
		}
	}
	f, ok, err := s.ledger.Feed(ctx, in.Account, after, in.Limit)
	switch {
	case err != nil:
		return nil, s.failure(ctx, err)
	case !ok:
		return nil, problem("account_unknown", "").at("account")
	}
	wanted := in.Lang
	if wanted == "" {
		wanted = in.Accept
	}
	told := feed.Telling{Language: feed.LanguageFor(wanted), Units: f.Units, Zone: time.UTC}
	if p, known := s.programs.Get(f.Program); known && p.Zone != nil {
		told.Zone = p.Zone
	}
	out := &feedOutput{Language: told.Tag, Body: FeedPage{
		Account: in.Account, Currency: f.Units.Currency, RewardUnit: rewardUnit(f.Units), Language: told.Tag,
		Balance: f.Balance, Pending: f.Held, Available: f.Available, Reserved: f.Reserved, Redeemable: f.Redeemable,
		Entries: make([]FeedEntry, len(f.Lines)),
	}}
	for i := range f.Lines {
		out.Body.Entries[i] = feedEntryOf(&f.Lines[i], &told)
	}
	var next cursor
	if !f.Next.IsBeginning() {
		next = newCursor('f').number(f.Next.Event).number(int64(f.Next.Line))
		for _, name := range f.Next.Open {
			next = next.number(int64(name))
		}
	}
	out.Body.Paged, out.Links = in.onward(next, nil)
	return out, nil
}

func feedEntryOf(line *durable.FeedLine, told *feed.Telling) FeedEntry {
	e := feed.EntryOf(line)
	v := FeedEntry{
		ID: e.Name, Kind: e.Kind(), State: string(e.State), At: e.At.String(),
		Pending: e.Pending, Available: e.Available, Reserved: e.Reserved, Expected: e.Expected, TakenBack: e.TakenBack, Why: told.Why(&e),
	}
	if p := e.Purchase; p != nil {
		v.Purchase = &FeedPurchase{p.ID, p.Merchant, p.Amount, p.Reversed}
	}
	if e.Payout != nil {
		v.Payout = e.ID
	}
	if n := len(e.Holds); n > 0 {
		v.Until = timeOf(e.Holds[n-1].Until)
	}
	return v
}

// FeedToken is what a browser or an app reads a feed with.
type FeedToken struct {
	Token   string `json:"token" doc:"For Authorization: Bearer, at GET /v1/accounts/{account}/feed of this account alone"`
	Expires string `json:"expires_at" format:"date-time"`
	Account string `json:"account"`
}

type feedTokenInput struct {
	OfAccount
	Minutes int `query:"minutes" minimum:"1" maximum:"15" default:"5" doc:"How long the token lives"`
}

type feedTokenOutput struct{ Body FeedToken }

func (s *Server) feedToken(ctx context.Context, in *feedTokenInput) (*feedTokenOutput, error) {
	if _, err := s.units(ctx, in.Account); err != nil {
		return nil, err
	}
	token, expires, err := s.door.Keys.Mint(in.Account, time.Duration(in.Minutes)*time.Minute)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	return &feedTokenOutput{FeedToken{token, reward.At(expires).String(), in.Account}}, nil
}

// takesTokens marks an operation that tokens are for. All others know API keys alone.
const takesTokens = "takes tokens"

// enterWithToken is enter for a request that may have a token in place of a key, and may
// come from a page of another site.
func (s *Server) enterWithToken(w http.ResponseWriter, r *http.Request, of scope.Set) (Principal, bool) {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.door == nil {
		return s.enter(w, r, of)
	}
	admitted := s.shareWith(w, r)
	if !bearer || !feed.LooksLikeToken(token) {
		return s.enter(w, r, of)
	}
	account, key, err := s.door.Keys.Open(token)
	var refused *Problem
	switch {
	case errors.Is(err, feed.ErrExpired):
		refused = problem("token_expired", "")
	case errors.Is(err, feed.ErrToken):
		refused = problem("token_refused", "")
		s.note(from(r, Principal{}).Context(), security.SignInRefused, Principal{}, "no valid token of a feed")
	case err != nil:
		s.explain(r.Context(), err)
		refused = problem("tokens_unavailable", "")
	case !admitted:
		refused = problem("origin_refused", "")
	case !s.door.Take(account):
		refused = problem("rate_exceeded", "The tokens of this account are used too often. Wait as long as Retry-After says, then send the request again.")
	}
	if refused != nil {
		if refused.Status == http.StatusUnauthorized {
			w.Header()["Www-Authenticate"] = bearerOnly
		}
		budget.Unread(w, r)
		writeProblem(w, refused)
		return Principal{}, false
	}
	s.identify(r.Context(), "feed-key:"+key)
	return Principal{ID: "feed:" + account, Name: "the holder of " + account, Scopes: of, Limits: onlyAccount(account)}, true
}

// onlyAccount confines a token to its account.
type onlyAccount string

func (onlyAccount) MaySend(string) bool            { return false }
func (a onlyAccount) MayTouch(account string) bool { return account == string(a) }
func (onlyAccount) OfProgram(string) bool          { return true }
func (onlyAccount) Opens(string) bool              { return false }
func (onlyAccount) Confined() bool                 { return true }

// shareWith lets the page that asks read the answer if it is of a site that was named, and
// reports whether it may have one: what is no page of another site may.
func (s *Server) shareWith(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	if !s.door.Admits(origin) {
		return false
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", "Retry-After")
	return true
}

// mayAsk answers a browser that asks whether a page may read a feed.
func (s *Server) mayAsk(w http.ResponseWriter, r *http.Request) {
	budget.Unread(w, r)
	if !s.shareWith(w, r) {
		writeProblem(w, problem("origin_refused", ""))
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", http.MethodGet)
	h.Set("Access-Control-Allow-Headers", "Authorization")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// script answers with the element that pages show a feed with. It is for everybody, as it
// says nothing of anybody.
func (s *Server) script(w http.ResponseWriter, r *http.Request) {
	budget.Unread(w, r)
	s.shareWith(w, r)
	h := w.Header()
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", feed.ScriptTag)
	if r.Header.Get("If-None-Match") == feed.ScriptTag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	w.Write(feed.Script)
}

// feedRoutes are there for API keys always, and for tokens and pages where keys sign these.
func (s *Server) feedRoutes() {
	const path = "/v1/accounts/{account}/feed"
	security := []map[string][]string{{"key": {}}}
	codes := []string{"account_unknown", "invalid_cursor", "invalid_request"}
	if s.door != nil {
		security = append(security, map[string][]string{"feed_token": {}})
		codes = append(codes, "token_expired", "token_refused", "tokens_unavailable", "origin_refused")
		s.api.OpenAPI().Components.SecuritySchemes["feed_token"] = &huma.SecurityScheme{
			Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "A token for the feed of one account, from POST /v1/accounts/{account}/feed-tokens or signed with a key that is shared; see docs/integrate/feed.md",
		}
	}
	register(s, huma.Operation{
		OperationID: "get-feed", Metadata: map[string]any{takesTokens: true}, Method: http.MethodGet, Path: path, Security: security,
		Tags: []string{"Accounts"}, Summary: "An account as its holder sees it",
		Description: "What each purchase earned, whether it can be used yet, what was taken back and why, in words for the holder. An entry has its place in the list for good, and says how it stands now. Pages may change while somebody reads on; what they add up to is of one moment.",
	}, scope.Feed, codes, s.feed)
	entry := s.api.OpenAPI().Components.Schemas.Map()["FeedEntry"].Properties
	entry["kind"].Enum, entry["state"].Enum = feed.Kinds(), feed.States()
	if s.door == nil {
		return
	}
	register(s, huma.Operation{
		OperationID: "create-feed-token", Method: http.MethodPost, Path: "/v1/accounts/{account}/feed-tokens",
		Tags: []string{"Accounts"}, Summary: "Make a token for the feed of one account",
		Description: "For an issuer's backend, which knows who has signed in to its app. The token reads this account's feed until it expires, and does nothing else; it ends before that when the key it is signed with is taken out of the file of keys.",
	}, scope.Feed, []string{"account_unknown", "tokens_unavailable", "invalid_request"}, s.feedToken)
	s.mux.HandleFunc("OPTIONS "+path, s.mayAsk)
	s.mux.HandleFunc("GET "+feed.ScriptPath, s.script)
	s.describe(http.MethodGet, feed.ScriptPath, "feed-element", "The element recoup-feed", "Without a key. A script for pages that show a feed; see docs/integrate/feed.md.", "text/javascript", nil)
	s.api.OpenAPI().Paths[feed.ScriptPath].Get.Responses["304"] = &huma.Response{Description: "It is the script of this ETag"}
}
