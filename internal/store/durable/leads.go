package durable

import (
	"context"

	"recoup/reward"
)

// leadRounds is how far it is looked ahead: a refund leads to its purchase, that to its bucket
// and what else lies on it, and that to other purchases.
const leadRounds = 3

// readLeads reads what parts lead to, and what that leads to, all that is known of together:
// with a server, what costs is how often it is asked. read is what was read already, and what
// it reads is put there; nil: there is no such part. See reward.Leads.
func readLeads(ctx context.Context, r Reader, parts []Part, whole bool, read map[PartKey][]byte) error {
	for round := 0; round < leadRounds && len(parts) > 0; round++ {
		var wanted []PartKey
		for i := range parts {
			for _, k := range leadsOf(&parts[i], whole) {
				if _, known := read[k]; !known {
					read[k] = nil
					wanted = append(wanted, k)
				}
			}
		}
		if len(wanted) == 0 {
			return nil
		}
		var err error
		if _, parts, err = r.Opened(ctx, nil, wanted); err != nil {
			return err
		}
		for i := range parts {
			read[keyOf(&parts[i])] = parts[i].Data
		}
	}
	return nil
}

// leadsOf is what a part leads to. Of one that is damaged it is what is known before that
// shows: who has the part at hand says so.
func leadsOf(p *Part, whole bool) (list []PartKey) {
	defer func() {
		switch damage := recover().(type) {
		case nil, *reward.CorruptError:
		default:
			panic(damage)
		}
	}()
	reward.Leads(p.Account, &p.Part, whole, func(kind reward.PartKind, id string) {
		list = append(list, PartKey{p.Account, kind, id})
	})
	return list
}

// ready reads purchases of an account that somebody is about to look at, with what they lead to.
func (e *entry) ready(ctx context.Context, r Reader, ids []string) error {
	var unread []string
	for _, id := range ids {
		k := PartKey{e.id, reward.TransactionPart, id}
		if _, asked := e.shelf.read[k]; !asked && id != "" {
			e.shelf.read[k] = nil
			unread = append(unread, id)
		}
	}
	if len(unread) == 0 {
		return nil
	}
	parts, err := r.Find(ctx, Query{Account: e.id, Kind: reward.TransactionPart, IDs: unread})
	if err != nil {
		return err
	}
	for i := range parts {
		e.shelf.read[keyOf(&parts[i])] = parts[i].Data
	}
	return readLeads(ctx, r, parts, true, e.shelf.read)
}
