// Package reward is a cashback reward engine as a pure function: one event and
// an account in, postings and the changed account out. It has no I/O, no clock
// and no floating point, and it imports nothing but the standard library.
//
// # The problem
//
// A cardholder buys, earns cashback, redeems it, and returns the goods. An
// engine that treats the return as an afterthought leaves the cashback paid on a
// purchase that never was. "Refunded but Rewarded" (Rashid and Rath, 2026) found
// this in production and states two properties that an engine must have:
// Reward Integrity, that net reward never exceeds what net spend is entitled to
// (section 4.1), and Refund Reward Consistency, that a reversal reaches the
// rewards within a bounded time. Its section 6 gives a state machine and four
// algorithms. This package does what they are for, and differs from them where,
// taken literally, they still leak.
//
// # The idea
//
// An account keeps facts: settlements, refunds, chargebacks, withdrawals, and
// whether each still stands. From the facts three pure functions follow, and
// they are computed again whenever a fact changes:
//
//   - Allocation: how much of each purchase is reversed. A reversal that names its
//     purchase sits there ("home"). Refunds that name none, as card networks
//     often deliver them, are placed together, on purchases that agree with what
//     they say of themselves, where they take most; and they move when a later
//     fact needs their place.
//   - Retention: what of a purchase's reward is kept, given how much of it is
//     reversed. Under Proportional it is the unreversed share of the original
//     reward (Algorithm 2). Under Rerate it is what the purchase would have
//     earned had the reversed part never been bought, caps included.
//   - Levelling: what is posted is the difference between what is retained now and
//     what was before, as a clawback, a restored reward or a reallocation.
//
// Since what is retained follows from facts and not from the order in which they
// came, refunds may arrive in parts, before their purchase, twice, or be undone:
// the account ends the same. Since only differences are posted, nothing is
// granted or clawed back twice. Rewards are rounded down, so clawbacks are
// rounded up, and full refunds in any number of parts end at exactly zero.
//
// Clawbacks may make a balance negative; later rewards repay it first. What a
// delivered or announced reversal is about to take is held from that moment, and
// a held amount cannot be redeemed, so a program that claws back at statements
// leaves no window (the float that section 5.3.2 found at issuer F).
//
// # Where to find what
//
//   - transaction.go: purchases and the five states of the paper's state machine,
//     which are derived, never stored.
//   - settlement.go: Algorithm 1, RewardOnSettlement.
//   - reversal.go, chargeback.go: Algorithm 2, RewardOnRefund, with chargebacks
//     (assumption A5), withdrawals and undos; refusal.go: what does not count.
//   - redemption.go: Algorithm 3, CanRedeem, with the debit it leaves to its caller.
//   - reservation.go: redemptions that are authorised first, and captured or released.
//   - statement.go: Algorithm 4, StatementCycleReconcile.
//   - home.go, unlinked.go: what names a purchase sits there; what names none looks
//     for spend, moves and becomes firm. claim.go: what looks for spend, in order.
//   - allocation*.go: which purchases it is of, as a pure function. field*.go: the
//     purchases as it asks for them, a cache that Check compares with the facts.
//     undisturbed.go: when it need not be asked, as nothing would move.
//   - items.go, item*.go: line items, each a purchase of its own in the place of its
//     transaction, over which what names the transaction is shared out.
//   - levelling.go, bucket.go: retention, levelling and caps (MonthlyUsed).
//   - hold.go: what would be taken if everything known were posted, and maturity;
//     announcement.go: announced refunds; held.go, layer_held.go: why an amount is held.
//   - expiry*.go: rewards that nobody used in time, by lots and uses.
//   - invariant.go, witness.go: the paper's lemmas and theorem and the other
//     properties, checked by code on any account.
//   - posting.go, explain.go: the journal and why each posting was made.
//   - state.go, review.go: an account as it stands, and what of it somebody may
//     want to look into; resolution.go: what they decide about it; candidate.go,
//     alike.go: what else a refund may be of.
//   - program.go: the terms, in versions that come with billing cycles.
//   - terms.go, element*.go, basket.go, layer*.go, worksheet*.go: E of what is not plain,
//     and what asks it; tier*.go: what a purchase earns by what was spent before.
//     monotone.go: which programs are refused, since E would fall for buying more.
//   - shelf.go, head.go, part*.go, unread.go, leads.go, encoding.go: an account that is not all at hand:
//     what is written down of it, and how the rest is found when an event needs it.
//   - index.go, warm.go: finding transactions fast among a million accounts.
//
// # Use
//
// NewAccount opens an account of a Program; Apply applies an Event to it and
// appends the Postings to a journal; State shows it; Check proves it. Amounts are
// integer minor units throughout. Recognising an event that is delivered twice
// by its source and id is left to the log of events (see package engine); the
// same business fact under a new event id is recognised here.
package reward
