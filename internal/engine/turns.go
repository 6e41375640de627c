package engine

import (
	"context"
	"slices"

	"recoup/internal/service/budget"
)

// sent is a context with a sender; it is its own value.
type sent struct {
	context.Context
	sender string
}

type senderKey struct{}

func (s *sent) Value(key any) any {
	if key == (senderKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// From returns a context for Group.Apply and Group.Decide with who sends the events.
// What one sender sends, however much, delays others by no more than its share: those
// of one sender wait for each other, and each commit takes of every sender.
func From(ctx context.Context, sender string) context.Context {
	return &sent{ctx, sender}
}

func senderOf(ctx context.Context) string {
	if s, is := ctx.Value(senderKey{}).(*sent); is {
		return s.sender
	}
	return ""
}

// place is what a request has taken of the queue, if it is of somebody.
type place struct {
	queue  *budget.Share
	sender string
	events int64
}

// leave gives the place to others.
func (p *place) leave() {
	if p.queue != nil {
		p.queue.Give(p.sender, p.events)
		p.queue = nil
	}
}

// turns says whose requests are yet to have their turn in a commit. Requests of nobody
// are of a sender each.
type turns struct {
	senders int
	left    map[string]int // requests of each sender
}

// take puts the requests of a line in an order in which each sender has a first one
// before any has a second. Of one sender they stay in order.
func (t *turns) take(waiting []*request) {
	t.senders = 0
	clear(t.left)
	for _, r := range waiting {
		r.turn = 0
		if r.place.sender != "" {
			if t.left == nil {
				t.left = make(map[string]int)
			}
			r.turn = t.left[r.place.sender]
			t.left[r.place.sender]++
		}
		if r.turn == 0 {
			t.senders++
		}
	}
	if t.senders > 1 && t.senders < len(waiting) {
		slices.SortStableFunc(waiting, func(a, b *request) int { return a.turn - b.turn })
	}
}

// share is an equal part of the room for each sender who is yet to have a turn, and of
// that for each of its requests.
func (t *turns) share(r *request, room int) int {
	return max(1, room/max(1, t.senders)/max(1, t.left[r.place.sender]))
}

// had notes that a request has had its turn.
func (t *turns) had(r *request) {
	left := t.left[r.place.sender] - 1
	if r.place.sender != "" {
		t.left[r.place.sender] = left
	}
	if left <= 0 {
		t.senders--
	}
}
