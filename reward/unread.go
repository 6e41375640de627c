package reward

// unread are refunds that name a transaction, of which nothing but their ids is at hand. Most
// events need what they come to, which is kept, and none of them.
type unread struct {
	count   int
	written string // their ids, as they are written down
}

func (u *unread) len() int {
	if u == nil {
		return 0
	}
	return u.count
}

// unreadIDs are the ids of refunds that are not at hand, as they are written down.
func (l *links) unreadIDs() string {
	if l == nil || l.unread == nil {
		return ""
	}
	return l.unread.written
}

// unread passes over the ids of refunds; nil for none.
func (r *reader) unread() *unread {
	count, from := r.count(), r.b
	if count == 0 {
		return nil
	}
	for range count {
		r.skip()
	}
	return &unread{count, string(from[:len(from)-len(r.b)])}
}

// refundsOf are all refunds that name a transaction with links, in the order in which they
// did.
func (a *Account) refundsOf(t *transaction) []*refund {
	l := t.links
	if u := l.unread; u != nil {
		r := &reader{b: []byte(u.written), what: CorruptError{Account: a.id, Kind: TransactionPart, ID: t.id}}
		list := make([]*refund, 0, u.count+len(l.refunds))
		for range u.count {
			list = append(list, a.mustRefund(r))
		}
		l.unread, l.refunds = nil, append(list, l.refunds...)
	}
	return l.refunds
}
