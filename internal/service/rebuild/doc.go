// Package rebuild makes a new database from the log of events of an older one, under
// the meaning that this program gives to them, and says what differs.
//
// The log is the truth: what an account has follows from its events. So whatever
// changes in the meaning of events, or in how accounts are kept, an older database is
// carried over by applying its log again. Of the older database nothing is read but
// rows of tables that every version had: the log with the postings that the events
// caused then, and the tables beside it (programs, keys and such). Accounts as they
// were kept are not read, since their encoding is that of the older program.
//
// Events come account by account, each account's in its order, so that whatever the
// length of the log, what is at hand is a batch of events and one account's sums.
package rebuild
