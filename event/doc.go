// Package event is the wire: CloudEvents 1.0 in structured mode, one JSON
// object a line, to reward.Event and back.
//
//	{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled",
//	 "time":"2026-01-05T10:00:00Z","subject":"acct-1",
//	 "data":{"transaction":"t1","amount":10000,"currency":"USD"}}
//
// Source and id name the event, subject is the account. Decoding is strict,
// because a member that is misspelt and skipped is a refund that is lost: what
// is unknown, twice there, missing or of another type than expected is an
// error that names the member, and null stands for nothing. What a sender may
// add are the extension attributes of CloudEvents, which are ignored.
//
// Besides what networks and processors report there are events for what people
// decide: an account.opened names its program, and what somebody made of a
// review is a refund.linked to its purchase, a refund.counted under an id of its
// own, or a refund.dismissed, chargeback.dismissed or transaction.dismissed, each
// with reason and actor.
//
// A [Decoder] reads one line and [Append] writes one. A [Reader] reads a whole
// stream of them, decoding ahead of its consumer. [CardNumber] finds what should not be in an
// event at all.
package event
