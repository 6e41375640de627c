// Package bench measures how many events a second a service takes, and what the
// machine under it could do at best.
//
// A Load is a closed loop: each of its clients sends a request, waits for the
// answer, checks every outcome in it, and sends the next. What is measured is
// what was answered, which means durable. The loads of a Suite run against a
// service that it starts itself, and beside it, in turns and on the same machine,
// run what a service could be compared with: single syncs to the disk, the mere
// insertion of what the service leaves behind and, on PostgreSQL, pgbench and an
// implementation that does one SQL transaction per event.
//
// Server, database and load usually share the processors, so the load must cost
// little: it speaks HTTP/1.1 with its own few lines and compares answers with
// what it expects before it parses any.
package bench
