package consume

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"recoup/internal/kit/broker"
	"recoup/source"
)

// sideBySide is how many requests to the service run at once.
const sideBySide = 16

// webhooksOf hands over messages that are bodies of a processor's webhooks, those of a
// partition one after the other, several partitions side by side.
func (d *door) webhooksOf(name string) deliver {
	path := "/v1/sources/" + url.PathEscape(name)
	return func(ctx context.Context, batch []broker.Record, count func(string)) (dead []poison, err error) {
		var mu sync.Mutex
		var all sync.WaitGroup
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		room := make(chan struct{}, sideBySide)
		for _, partition := range byPartition(batch) {
			all.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				for _, at := range partition {
					outcome, why, err := d.webhook(ctx, path, &batch[at])
					mu.Lock()
					switch {
					case err != nil:
						cancel(err)
					case why != nil:
						dead = append(dead, poison{at, why.Code, why.Detail})
					default:
						count(outcome)
					}
					mu.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		all.Wait()
		return dead, context.Cause(ctx)
	}
}

// byPartition sorts the places of a batch by partition, each in order.
func byPartition(batch []broker.Record) (list [][]int) {
	type partition struct{ topic, name string }
	at := make(map[partition]int)
	for i := range batch {
		of := partition{batch[i].Topic, batch[i].Partition}
		if _, there := at[of]; !there {
			at[of] = len(list)
			list = append(list, nil)
		}
		list[at[of]] = append(list[at[of]], i)
	}
	return list
}

// webhook hands one over until it is answered for: taken, or why it can never be.
func (d *door) webhook(ctx context.Context, path string, r *broker.Record) (outcome string, why *problem, err error) {
	if len(r.Value) > source.MaxBody {
		return "", &problem{Code: "body_too_large", Detail: "it is larger than any webhook"}, nil
	}
	tired := patience{log: d.log}
	for {
		response, err := d.post(ctx, path, "application/json", headersOf(r), r.Value)
		if err == nil {
			var receipt struct {
				Listed bool `json:"listed"`
			}
			err = json.NewDecoder(response.Body).Decode(&receipt)
			response.Body.Close()
			switch {
			case err != nil:
			case receipt.Listed:
				return "listed", nil, nil
			default:
				return "received", nil, nil
			}
		}
		p := (*problem)(nil)
		switch {
		case ctx.Err() != nil:
			return "", nil, ctx.Err()
		case !errors.As(err, &p):
			tired.wait(ctx, "handing a webhook to the service", err, 0)
		case p.passes():
			tired.wait(ctx, "handing a webhook to the service", err, p.after)
		case p.Code == "unsigned" || p.Code == "body_too_large" || p.Code == "malformed":
			return "", p, nil
		default:
			return "", nil, err
		}
	}
}

// headersOf are the headers of a message as a processor's request had them: names and
// signatures of webhooks are there. Those of the connection are not.
func headersOf(r *broker.Record) http.Header {
	header := make(http.Header)
	for _, h := range r.Headers {
		switch name := http.CanonicalHeaderKey(h.Name); name {
		case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Content-Encoding", "Upgrade", "Te", "Trailer", "Expect", "Keep-Alive", "Proxy-Authorization":
		default:
			if headerName.MatchString(h.Name) && plain(h.Value) && !isOurs(h.Name) {
				header.Add(name, h.Value)
			}
		}
	}
	return header
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// plain reports whether a text may be in a header of HTTP.
func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
