package main

import (
	"context"
	"os/user"
	"time"

	"recoup/access"
	"recoup/console/session"
	"recoup/security"
	"recoup/store/durable"
)

// desk is where somebody at this machine changes who may use a database.
type desk struct {
	db       *durable.Database
	keys     *access.Keys
	people   *access.People
	sessions *session.Desk
	log      *security.Log
}

// atDesk opens a database for as long as something is done at its desk.
func atDesk(ctx context.Context, url string, open func(context.Context, string) (*durable.Database, error), do func(*desk) error) error {
	db, err := open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(&desk{db, access.New(db, time.Now), access.NewPeople(db, time.Now), session.NewDesk(db, time.Now), security.New(db, time.Now)})
}

// note notes what somebody at this machine did.
func (d *desk) note(ctx context.Context, what security.What, detail string) error {
	return d.log.Note(ctx, security.Entry{What: what, Principal: localPrincipal(), Detail: detail})
}

// noteExport notes that somebody at this machine took data out of a database.
func noteExport(ctx context.Context, db *durable.Database, what string) error {
	return security.New(db, time.Now).Note(ctx, security.Entry{What: security.Exported, Principal: localPrincipal(), Detail: what})
}

// noteLoad notes that somebody at this machine puts events into a database.
func noteLoad(ctx context.Context, db *durable.Database, file string, replay bool) error {
	if replay {
		file += ", as a log that is replayed"
	}
	return security.New(db, time.Now).Note(ctx, security.Entry{What: security.Loaded, Principal: localPrincipal(), Detail: file})
}

// localPrincipal is who has started this program.
func localPrincipal() string {
	if u, err := user.Current(); err == nil {
		return "local:" + u.Username
	}
	return "local:"
}
