// Package probe plays against somebody else's reward program, in a sandbox,
// what the lab plays against its designs. The program's team writes a small
// adapter that answers a few JSON calls (openapi.yaml describes them, and
// examples/adapter is one), and [Client] is that adapter behind the port
// [issuer.Issuer]. Nothing is read of a program but balances and answers to
// redemptions.
//
// # The calls
//
// Amounts are integers, in minor units of the program's currency. Times are RFC
// 3339. Every call answers with a JSON object; an error is any 4xx with
// {"error":"why"}.
//
//	GET  /capabilities            {"currency":"USD","can_set_clock":true,"chargebacks":true,
//	                               "partial_refunds":true,"statement_close":"clock"}
//	POST /reset                   {}
//	POST /accounts                {"account":"a1"}
//	POST /clock                   {"now":"2026-01-05T10:00:00Z"}
//	POST /settlements             {"account","transaction","amount","merchant","category"}
//	POST /refunds                 {"account","refund","transaction"?,"amount","merchant"?}
//	POST /chargebacks             {"account","chargeback","transaction","amount"}
//	POST /statements/close        {"account"}
//	POST /redemptions             {"account","redemption","amount"} -> {"accepted":true}
//	GET  /accounts/{account}      -> {"balance":500,"redeemable":500}
//
// That is all that an adapter needs. What [Capabilities] has beyond it tells the
// prober of more that an adapter takes; an adapter that leaves it out is never
// sent it. A reset forgets all accounts, and the clock may then be set to any
// time; a sandbox that cannot forget can give accounts another name after each
// reset. The same clock again is no error. A program that refuses a fact answers
// 4xx, and the prober goes on and looks at what that did to the balance.
//
// # Failures
//
// A target may fail now and then, and must not be accused of what the prober
// itself has caused. A call that may have been done although no answer came (5xx,
// a timeout, a lost connection) is not simply sent again if it brings a fact: a
// program that counts a settlement twice would then count one that was delivered
// twice by us. Neither does the balance tell whether it was done, for a fact need
// not show before the statement. So the client resets the target and plays the
// account again from its opening, as it was, to the point where it failed. See
// [Client] for what that asks of callers.
//
// A target may also show what has happened a little later. [Client.MeasureLag]
// finds out whether it does and for how long, and balances are then read until
// they stay the same for long enough.
package probe
