// Package e2e has no code, only tests: those that need the program as it is
// built, run as a process of its own, on a database that is really there.
//
// They start `recoup serve`, talk to it over HTTP as senders do, and take away
// from under it whatever can go: the process, the disk, the database. What must
// hold is that whatever was acknowledged is there, once, and that everything
// ends as `recoup replay` of the same events ends.
//
//   - differential_test.go: the conformance cases and random traces, in batches of
//     any size, with duplicates. log_test.go: the log, replayed.
//   - crash_test.go: the process killed. outage_test.go: PostgreSQL stopped and
//     killed. failover_test.go: PostgreSQL killed for good, and a standby in its
//     place. dead_process_test.go: one of several processes killed. disk_test.go: no
//     space left. aside_test.go: accounts that are damaged or locked.
//   - chaos_test.go and those beside it: all of that one after the other and at once, and
//     how those fare who have nothing to do with it. machine_test.go: what the machine
//     itself is late by, so that it is not taken for the service.
//   - sources_test.go: webhooks of processors, by the commands of the documents.
//   - recovery_test.go: PostgreSQL back to a moment, by the commands of the documents.
//   - redeem_test.go: many clients and one balance. processes_test.go: several
//     processes and one database. holder_test.go: a folder, which has one. beside_test.go:
//     commands beside a service. raced_test.go: the race detector's build.
//   - memory_test.go: memory over many events.
//   - audit_scale_test.go: an audit of many rows, in bounded memory.
//   - docs_page_test.go: pages in a browser, by way of the package browser below.
//     console_test.go and those beside it: the console, every page of it, signing
//     in, and what people do there from one end to the other.
//     screenshots_test.go: the pictures that the documents show.
//
// Those that take long run with RECOUP_LONG=1.
package e2e
