package server

import "reflect"

var (
	feedPageType  = reflect.TypeFor[FeedPage]()
	feedTokenType = reflect.TypeFor[FeedToken]()
)

// exampleFeed is in the document: a purchase that waits, one that came back in part, and one
// that can be used.
const exampleFeed = `{"account":"acct-1","currency":"USD","reward_unit":"USD","reward_decimals":2,"language":"en",` +
	`"balance":425,"pending":125,"available":300,"reserved":0,"redeemable":300,"next":null,"entries":[` +
	`{"id":"purchase:t3","kind":"purchase","state":"pending","at":"2026-01-20T10:00:00Z","purchase":{"transaction":"t3","merchant":"Corner Shop","amount":2500,"returned":0},` +
	`"pending":125,"available":0,"reserved":0,"taken_back":0,"pending_until":"2026-02-19T10:00:00Z","why":"$1.25 can be used from 19 February 2026, unless you return the purchase before."},` +
	`{"id":"purchase:t2","kind":"purchase","state":"partly_taken_back","at":"2026-01-12T10:00:00Z","purchase":{"transaction":"t2","merchant":"Shoe Barn","amount":10000,"returned":4000},` +
	`"pending":0,"available":300,"reserved":0,"taken_back":200,"pending_until":null,"why":"You got $40.00 of $100.00 back, so $2.00 of the reward was taken back."}]}`

const exampleFeedToken = `{"token":"eyJhbGciOiJIUzI1NiIsImtpZCI6ImZrLTIwMjYwMTIwLWFiY2RlZmdoIiwidHlwIjoiSldUIn0.eyJhdWQiOiJyZWNvdXA6ZmVlZCIsInN1YiI6ImFjY3QtMSIsImlhdCI6MTc2ODkwMDAwMCwiZXhwIjoxNzY4OTAwMzAwfQ.c2lnbmF0dXJl","expires_at":"2026-01-20T09:11:40Z","account":"acct-1"}`
