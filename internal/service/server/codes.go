package server

import (
	"net/http"
	"slices"
)

// kind is one way in which a request fails. Clients go by its code, which never
// changes; the rest is for people.
type kind struct {
	status int
	title  string
	advice string // what to do, where the place that fails does not say
	retry  int    // seconds after which it makes sense to try again; 0: it does not
}

// kinds is the one place that gives codes their statuses. The codes of outcomes
// are here too, for requests that are about one thing and fail with it.
var kinds = map[string]kind{
	// The request.
	"malformed":             {http.StatusBadRequest, "The request cannot be read", "", 0},
	"body_incomplete":       {http.StatusBadRequest, "The body ended too early", "Send the whole body, as long as Content-Length says.", 0},
	"invalid_cursor":        {http.StatusBadRequest, "Not a cursor", "Pass on the next of an earlier answer of the same list as it is, or leave cursor out to start over.", 0},
	"unauthenticated":       {http.StatusUnauthorized, "No valid API key", "Send the header Authorization: Bearer rk_…; a key is made by recoup keys create.", 0},
	"token_expired":         {http.StatusUnauthorized, "The token has expired", "Ask the backend that made it for a new one.", 0},
	"token_refused":         {http.StatusUnauthorized, "No valid token", "Expected a token of the account, signed with a key that the service knows; see docs/integrate/feed.md.", 0},
	"origin_refused":        {http.StatusForbidden, "Not a site that may show feeds", "Whoever runs the service names the sites whose pages may with --feed-origin.", 0},
	"unsigned":              {http.StatusUnauthorized, "The webhook is not signed", "Nothing was done. Expected a request of the processor, signed with the secret of the source.", 0},
	"scope_missing":         {http.StatusForbidden, "The API key is not for this", "", 0},
	"host_refused":          {http.StatusForbidden, "Not a local host name", "A service that runs open answers only to localhost, 127.0.0.1 and [::1].", 0},
	"cross_site":            {http.StatusForbidden, "Sent by a page of another site", "A service that runs open does what its own pages and programs ask for, and nothing else.", 0},
	"not_found":             {http.StatusNotFound, "There is no such path", "See /docs for those that there are.", 0},
	"account_unknown":       {http.StatusNotFound, "There is no such account", "An account is there from its first event on, such as account.opened.", 0},
	"program_not_found":     {http.StatusNotFound, "There is no such program", "See GET /v1/programs for those that there are.", 0},
	"transaction_not_found": {http.StatusNotFound, "There is no such transaction", "See GET /v1/accounts/{account}/transactions for those that there are.", 0},
	"statement_unknown":     {http.StatusNotFound, "There is no such statement", "The cycle is still to come; see GET /v1/accounts/{account}/statements.", 0},
	"review_unknown":        {http.StatusNotFound, "There is no such review", "Take the id from GET /v1/reviews.", 0},
	"webhook_unknown":       {http.StatusNotFound, "There is no such webhook endpoint", "See GET /v1/webhooks for those that there are.", 0},
	"dead_letter_unknown":   {http.StatusNotFound, "There is no such dead letter", "See GET /v1/webhooks/dead-letters for those that there are.", 0},
	"method_not_allowed":    {http.StatusMethodNotAllowed, "Not with this method", "Use one of the methods in the header Allow.", 0},
	"body_timeout":          {http.StatusRequestTimeout, "The body did not arrive in time", "It came slower than the service waits for. Send the request again, in smaller parts if the line is slow.", 0},
	"notices_off":           {http.StatusConflict, "No notices are kept", "Have them kept with PUT /v1/notices/keeping or recoup webhooks keep; what happens from then on can be fetched.", 0},
	"cursor_expired":        {http.StatusGone, "What comes after this cursor is not kept any more", "Notices may have been missed. Read what matters of the accounts, then leave after out to go on at the oldest notice that is kept.", 0},
	"body_too_large":        {http.StatusRequestEntityTooLarge, "The body is too large", "", 0},
	"batch_too_large":       {http.StatusRequestEntityTooLarge, "The batch has too many events", "", 0},
	"unsupported_type":      {http.StatusUnsupportedMediaType, "Not a content type that is read here", "", 0},
	"invalid_request":       {http.StatusUnprocessableEntity, "The request is not complete or not valid", "", 0},
	"invalid_time":          {http.StatusUnprocessableEntity, "The time is too far ahead", "Set the sender's clock.", 0},
	"account_refused":       {http.StatusForbidden, "The API key is not for this account", "Use the key that was made for accounts like this.", 0},
	"source_refused":        {http.StatusForbidden, "The API key is not for this source", "Send events under a source that the key was made for; see recoup keys list.", 0},
	"actor_refused":         {http.StatusUnprocessableEntity, "Somebody else is named", "Who decides is who sends it, and whoever agrees sends that themselves: leave actor and approver out, or send it with their key.", 0},
	"approval_needed":       {http.StatusConflict, "It takes a second person", "It is more than one person may do alone: propose it by its endpoint, and have somebody else approve it.", 0},
	"decision_not_first":    {http.StatusConflict, "Events of the account come before the decision", "A decision is weighed by how the account stands: send it in a request of its own, or before all others of its account.", 0},
	"proposal_rejected":     {http.StatusConflict, "The proposal was rejected", "", 0},
	"proposals_full":        {http.StatusConflict, "As many proposals wait as may", "Have some approved or rejected first, or withdraw some.", 0},
	"proposal_unknown":      {http.StatusNotFound, "There is no such proposal", "See GET /v1/proposals for those that wait.", 0},
	"same_person":           {http.StatusConflict, "It takes another person", "Whoever proposed it cannot approve it, by whichever of their keys.", 0},
	"refund_linked":         {http.StatusConflict, "The refund is linked already", "Only a refund that names no purchase, or is open for review, can be linked by hand.", 0},
	"no_room":               {http.StatusConflict, "The purchase has no room for the refund", "What of the purchase is not reversed yet is less than the refund: link it to another.", 0},
	"rate_exceeded":         {http.StatusTooManyRequests, "The API key is used too often", "Nothing was done. Wait as long as Retry-After says, then send the request again.", 1},
	"card_number":           {http.StatusUnprocessableEntity, "This looks like a card number", "Send a token of the card instead.", 0},
	"source_reserved":       {http.StatusUnprocessableEntity, "The source is the service's own", "Send events under a source of your own.", 0},

	"event_masked":        {http.StatusConflict, "The event is kept masked only", "Without a secrets key nobody kept what it was. Exempt the member of its source (POST /v1/exemptions) and have the event sent again, or dismiss it.", 0},
	"secrets_key_missing": {http.StatusServiceUnavailable, "The key that the event is sealed under is not at hand", "Whoever runs the service names the file that has it with --secrets-key.", 0},
	"id_reused":           {http.StatusConflict, "Another event of this identity is in the log", "Dismiss this one. If both are meant, have it sent again under a new id.", 0},

	"idempotency_key_reused": {http.StatusUnprocessableEntity, "The Idempotency-Key was used before", "Another request came under this key. Send each new request with a new key, and a repeated one exactly as it was.", 0},

	// The service.
	"overloaded":         {http.StatusTooManyRequests, "Too much at once", "Nothing was done. Wait as long as Retry-After says, then send the request again; many events in one request cost least.", 1},
	"preview_timeout":    {http.StatusServiceUnavailable, "The preview took too long", "", 5},
	"shutting_down":      {http.StatusServiceUnavailable, "The service is ending", "Send the request again in a moment; what was done already is recognised.", 1},
	"store_unavailable":  {http.StatusServiceUnavailable, "The database cannot be used just now", "Send the request again in a moment; what was done already is recognised.", 5},
	"tokens_unavailable": {http.StatusServiceUnavailable, "Tokens cannot be checked just now", "The file of keys that sign them cannot be read; the log says why. Send the request again later.", 5},
	"clock_doubted":      {http.StatusServiceUnavailable, "The clock of the service is not believed", "The clock of the service's machine is far from what its database knows, so nothing is applied until somebody has set it, or said that it is right. Send the request again later; what was done already is recognised.", 30},
	"account_locked":     {http.StatusLocked, "The account is locked", "Somebody else is at work on the account and does not let go of it. Send the request again in a moment; what was done already is recognised.", 1},
	"account_busy":       {http.StatusLocked, "The account does not stand still", "So many events of the account come that nobody could weigh what the decision does. Send the request again in a moment.", 1},
	"account_damaged":    {http.StatusInternalServerError, "The account cannot be read", "What is kept of the account is damaged, so nothing can be done with it until whoever runs the service has made it anew; see GET /v1/alerts. Send the request again then.", 0},
	"internal":           {http.StatusInternalServerError, "Something went wrong here", "Sending the request again is safe. Whoever runs the service finds more in its log, under the header X-Request-Id.", 0},

	// Outcomes.
	"invalid_amount":               {http.StatusUnprocessableEntity, "Not a possible amount", "An amount is in minor units, above zero and at most 10^15; an adjustment's may be negative.", 0},
	"currency_mismatch":            {http.StatusUnprocessableEntity, "Not the currency of the account", "Amounts are in the currency of the account's program; see GET /v1/accounts/{account}.", 0},
	"limit_exceeded":               {http.StatusUnprocessableEntity, "The account would pass the largest amount", "No account can hold this; check the amount.", 0},
	"insufficient_balance":         {http.StatusConflict, "Not enough is available", "The amount is more than is available, less what the program wants left. GET /v1/accounts/{account} says what is available, what is held and until when. To try again, use a new Idempotency-Key.", 0},
	"grace_hold":                   {http.StatusConflict, "No redemption before the grace hold ends", "GET /v1/accounts/{account} says until when (hold_until). To try again then, use a new Idempotency-Key.", 0},
	"account_closed":               {http.StatusConflict, "The account is closed", "A closed account pays nothing out. Refunds, chargebacks and adjustments are still taken.", 0},
	"outstanding_negative_balance": {http.StatusConflict, "Rewards are owed", "The balance, less what reversals are about to take, is below zero. Collect or write off the debt by an adjustment, then close the account under a new Idempotency-Key.", 0},
	"over_capture":                 {http.StatusConflict, "More than was authorised", "GET /v1/accounts/{account} lists what is reserved. Capture at most that, under a new Idempotency-Key.", 0},
	"authorization_expired":        {http.StatusConflict, "The authorisation has expired", "What was reserved is let go at expires, by the account's latest time. Authorise it anew under a new redemption id.", 0},
	"authorization_released":       {http.StatusConflict, "The authorisation was released", "What was let go cannot be captured. Authorise it anew under a new redemption id.", 0},
	"authorization_limit":          {http.StatusConflict, "Too many authorisations are open", "An account has at most 1,000 at a time. Capture or release some, then try again under a new Idempotency-Key.", 0},
	"redemption_conflict":          {http.StatusConflict, "The redemption is there with another amount, or in another way", "Use a new redemption id for a new redemption.", 0},
	"redemption_unknown":           {http.StatusNotFound, "There is no such redemption", "Only a redemption that was paid out or authorised can be reversed. If it is made later, reverse it under a new Idempotency-Key.", 0},
	"attribute_conflict":           {http.StatusConflict, "The attribute is there with another value", "A fact of an account is stated once. State another under an id of its own, from the time from which it holds.", 0},
	"attribute_unknown":            {http.StatusConflict, "There is no such attribute", "It was not set; a setting that comes later is void.", 0},
	"invalid_items":                {http.StatusUnprocessableEntity, "The items are none that it can have", "1 to 200 items of different ids and amounts above 0, which together are the amount.", 0},
	"items_conflict":               {http.StatusConflict, "The transaction has other items, or another amount", "Items are said once, by the settlement or afterwards.", 0},
	"adjustment_conflict":          {http.StatusConflict, "The adjustment is there with another amount", "Use a new adjustment id for a new adjustment.", 0},
	"transaction_unknown":          {http.StatusConflict, "There is no such transaction", "Link to a transaction of the same account that was authorised or posted.", 0},
	"refund_unknown":               {http.StatusConflict, "There is no such refund", "Take the review's id from GET /v1/reviews.", 0},
	"chargeback_unknown":           {http.StatusConflict, "There is no such chargeback", "Take the review's id from GET /v1/reviews.", 0},
	"refund_conflict":              {http.StatusConflict, "The refund says something else", "The refund names another transaction itself. Have its sender reverse it and post it again.", 0},
	"chargeback_conflict":          {http.StatusConflict, "The chargeback says something else", "See GET /v1/accounts/{account}/transactions/{id}.", 0},
	"transaction_conflict":         {http.StatusConflict, "The transaction says something else", "See GET /v1/accounts/{account}/transactions/{id}.", 0},
	"already_final":                {http.StatusConflict, "It is final already", "Nothing is left to decide; see GET /v1/reviews for what is, and reverse a redemption that was paid out.", 0},
	"already_reversed":             {http.StatusConflict, "It is reversed already", "Nothing is left to decide; see GET /v1/reviews for what is.", 0},

	// Programs; the first ones are those of durable.ProgramError.
	"program_invalid":     {http.StatusUnprocessableEntity, "Not a program", "", 0},
	"program_id_mismatch": {http.StatusUnprocessableEntity, "The document is of another program", "", 0},
	"currency_changed":    {http.StatusConflict, "A program cannot change its currency", "", 0},
	"effective_invalid":   {http.StatusUnprocessableEntity, "Not a time from which a version can be in force", "", 0},
	"program_conflict":    {http.StatusConflict, "Somebody else put a version meanwhile", "", 0},
}

// codesByStatus lists all codes of each status, for the documentation.
func codesByStatus(codes []string) map[int][]string {
	by := make(map[int][]string)
	for _, c := range codes {
		by[kinds[c].status] = append(by[kinds[c].status], c)
	}
	for _, list := range by {
		slices.Sort(list)
	}
	return by
}
