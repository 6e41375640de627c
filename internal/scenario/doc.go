// Package scenario is the catalogue of reward abuse: readable files, each with
// one course of events and what must come of it, and the runner that plays one
// against anything behind the port [issuer.Issuer].
//
// # What a file looks like
//
//	# Why this matters, in a few lines for somebody who knows rewards.
//	title: The four-phase double dip
//	shows: V1
//	program:
//	  currency: USD
//	  rules:
//	    - {id: bonus, match: {category: [GROCERY]}, rate: 5%, cap: {reward: 5000, per: cycle}}
//	    - {id: base, rate: 1%}
//
//	2026-01-05 10:00  settle t1 1000.00 at m1 GROCERY
//	                  expect balance 50.00 redeemable 50.00
//	2026-01-05 11:00  redeem d1 50.00 -> accepted
//	2026-01-12        refund r1 1000.00 of t1
//	                  expect balance -50.00 net_reward 0.00 leak 0.00
//	                  expect at A: balance 0.00 leak 50.00
//	2026-02-01        close
//
// A # begins a comment; the comments before the first line of the head are the
// scenario's account of itself. The head has a title, what the scenario shows
// (classes of the paper's section 4.3, rows of docs/semantics.md, section 9, or
// the assumption or section at stake) and a program in the format of program
// files, indented, of which only what matters here needs to be said. What replaces
// it in a later month follows as "program from 2026-02:", a whole program too.
//
// A step begins at the margin with the time, in UTC, at which it reaches the
// issuer; steps are in order of time. Amounts are decimal, with the digits of
// the program's currency.
//
//	settle t1 100.00 at m1 GROCERY         a purchase clears; also: mcc 5411
//	refund r1 40.00 of t1                  a refund that names its purchase
//	refund r1 40.00 at m1 GROCERY really t1
//	                                       one that names none; what was truly
//	                                       returned is told to the reader only,
//	                                       and without an amount is the refund's
//	refund r1 100.00 of t1 really t1 60.00 and t2 40.00
//	chargeback c1 of t1                    of the whole amount
//	chargeback c1 40.00 of t1              also: really, as of a refund
//	undo refund r1                         the refund bounced
//	undo chargeback c1                     the dispute was lost
//	withdraw t1                            the acquirer takes the clearing back
//	authorize t1 100.00 at m1 GROCERY
//	cancel t1                              the authorisation is released
//	announce r1 40.00 of t1                the merchant promised a refund
//	cancel refund r1                       and will not pay it
//	redeem d1 5.00 -> accepted             or denied
//	close                                  the statement that is due
//	close account -> closed                or refused
//	count refund r1 as r1-2                somebody has looked into what came under a
//	                                       used name, and it counts
//	wait                                   time passes
//
// What terms ask for besides: labels of a purchase, the lines of its receipt, and what is
// known of the cardholder. What stands behind an item is the item's.
//
//	settle t1 100.00 at m1 channel=app     also of authorize and refund
//	settle t1 100.00 at m1 item salmon 40.00 FRESH item card 60.00 kind=gift-card
//	itemize t1 item salmon 40.00 item pan 60.00
//	                                       the receipt comes after its purchase
//	refund r1 60.00 of t1 item pan 60.00   or, where it does not say: really t1/pan
//	set a1 spring=on                       an offer is activated, a category chosen
//	unset a1                               a1 is annulled
//
// Redemptions and what is expected are in the program's unit, purchases in its currency.
// The account is opened with the first step.
//
// What happened earlier than it is delivered is "dated 2026-01-03 14:00". With
// "again" before it, the name alone delivers the very same fact once more:
// "again refund r1". With "another" before it, a refund is one of its own under a
// name that was used before, by another shop or before it bounced:
// "another refund r1 40.00 of t2".
//
// Expectations stand below their step, indented, and speak of the moment after
// it: balance, redeemable, redeemed, net_reward (balance and redeemed),
// entitlement (what the published terms promise on what was truly bought and
// kept) and leak (net reward above the entitlement), each with an amount; "bonus welcome
// 200.00", what a bonus has paid in all periods; or
// "review r1", that r1 is on the list of what somebody must look into; or an
// answer: accepted, denied, closed, refused. Without a name they describe a
// correct program, which is Recoup under exactly this program. With one, such
// as "expect at A:" or "expect at C, F:", they describe what another design
// makes of it, given the same published terms but its own timing. The designs are those
// of internal/lab/design: the issuers A to F and V3(a); "Literal (instant)", "Literal
// (statement)" and "Literal (hybrid)", the paper's algorithms as printed; "Recoup
// (instant)", "Recoup (statement)", "Recoup (rerate)" and "Recoup (mature)"; and the
// variants in variant.go and vendor.go there, which have one flaw each, such as "Cap room
// lost" or "Bonus stays". This
// package takes any name; the tests of that one play them, and name all where there is no
// such design.
package scenario
