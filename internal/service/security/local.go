package security

import (
	"bufio"
	"context"
	"io"
	"os/user"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/store/record"
)

// NoteLocal notes what somebody at this machine did to a database.
func NoteLocal(ctx context.Context, records record.Store, what What, detail string) error {
	return New(records, time.Now).Note(ctx, Entry{What: what, Principal: localPrincipal(), Detail: detail})
}

// localPrincipal is who has started this program.
func localPrincipal() string {
	if u, err := user.Current(); err == nil {
		return "local:" + u.Username
	}
	return "local:"
}

// Write writes the entries after the one with a number as JSON lines, the oldest first.
func (l *Log) Write(ctx context.Context, w io.Writer, after int64) error {
	out := bufio.NewWriter(w)
	for {
		list, err := l.After(ctx, after, MaxPage)
		if err != nil {
			return err
		}
		for i := range list {
			if err := json.MarshalWrite(out, &list[i]); err != nil {
				return err
			}
			out.WriteByte('\n')
			after = list[i].Number
		}
		if len(list) < MaxPage {
			return out.Flush()
		}
	}
}
