// Package webhook tells other people's systems what happens to accounts: HTTP
// POST requests, signed as Standard Webhooks has it, or a feed that they fetch from.
//
// # The outbox
//
// The store writes a delivery for each endpoint that wants it in the transaction of
// the event itself, as records of package outbox. So there is a delivery if, and only
// if, the event is committed, and no crash can come between the two. A
// [Dispatcher] sends what is due and deletes what was taken; what was not taken
// it tries again after growing pauses, and at last lays it aside as dead, to be
// looked at and replayed.
//
// # What a receiver may count on
//
//   - At least once: a process that dies between the answer and the deletion has
//     the delivery sent again. It has the same webhook-id, on every attempt and
//     after a replay, and that is what to recognise it by.
//   - No order. A delivery that fails is overtaken by later ones. Every notice
//     has the account's balance after its event, and its postings are numbered.
//   - A signature over id, time of the attempt and body, see [Verify].
//
// # The feed
//
// Who would rather fetch notices than be sent them has them kept, see [Feed]: units of work
// put them into an inbox beside the deliveries, and [Feed.Collect] gives them places in an
// order in which nobody who reads on misses one that was committed late.
//
// # Several processes
//
// Any number of dispatchers may work on one database. In each lane of it one of them
// sends, which holds a lease on all deliveries there and renews it as long as it lives.
// So taking a delivery writes nothing: what is on its way is in the memory of who sends
// it, and what became of it is written once, for many deliveries together. Who stops
// gives the lease back. When a process has died, another takes over at the end of the
// lease, and sends again what was on its way. What a process has to say that was
// asleep meanwhile is not recorded, unless the delivery was taken. Clocks that differ by
// more than about half of [LeaseMargin] can have a delivery sent twice at once, which
// is as harmless as any second delivery.
//
// # What is never connected to
//
// Whoever may add an endpoint must not be able to reach what only this machine
// can. Unless private addresses are allowed, connections go over HTTPS to public
// addresses alone. That is decided on the address being connected to, after the
// name has been looked up, and redirects are not followed.
package webhook
