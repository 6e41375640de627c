// Package server is Recoup over HTTP: events in, balances and journals out. No
// rule of rewards lives here. What changes an account becomes an event, goes
// through an Applier (package engine, in batches with those of other callers) and
// is answered once it is durable; what is read comes from a Ledger.
//
// POST /v1/events is how nearly everything arrives, so it is a plain handler that
// allocates next to nothing. All other endpoints are described to huma, which
// reads their parameters and writes the OpenAPI document that all of them are in.
//
//   - events.go, screen.go, batch.go, lines.go, stream.go: events one by one, in
//     batches and as streams of lines.
//   - command.go: what somebody decides, such as a redemption, as one event under
//     an idempotency key. redemptions.go, accounts.go, reviews.go: which there are.
//   - accounts.go, transactions.go, entries.go, statements.go, programs.go: what can
//     be read, in pages (cursor.go).
//   - problem.go, codes.go: every way to fail, in one table.
//   - openapi.go, examples.go: the document, with a story of examples that a test plays.
//   - guard.go, admission.go: who may, and how much at a time (package budget).
//   - listen.go, certificate.go: timeouts, TLS, and ending in good order.
package server
