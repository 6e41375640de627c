package feed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// A token lets a browser or an app read the feed of one account, and nothing else, for some
// minutes. It is a JSON Web Token (RFC 7519), so that whoever shares a key can make one with
// what their language has; but it is read strictly: one algorithm, no choice by the token.

const (
	// Audience is whom tokens are for, their claim aud.
	Audience = "recoup:feed"
	// MaxLife is how long a token may live.
	MaxLife = 15 * time.Minute
	// DefaultLife is how long one lives that was asked for without a time.
	DefaultLife = 5 * time.Minute
	// skew is how far ahead the clock of whoever makes tokens may be.
	skew      = time.Minute
	maxToken  = 2048
	algorithm = "HS256"
)

var (
	// ErrToken says that something is no token of this service.
	ErrToken = errors.New("no token of a feed")
	// ErrExpired says that a token was one until a moment ago.
	ErrExpired = errors.New("the token has expired")
)

// header and claims are what a token has; of claims others may be there, which are not read.
type header struct {
	Algorithm string `json:"alg"`
	Key       string `json:"kid"`
	Type      string `json:"typ,omitempty"`
}

type claims struct {
	Audience string `json:"aud"`
	Account  string `json:"sub"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
}

// LooksLikeToken tells a token from an API key.
func LooksLikeToken(credential string) bool { return strings.Count(credential, ".") == 2 }

// Mint makes a token for the feed of an account, with the first of the keys.
func (k *Keys) Mint(account string, life time.Duration) (token string, expires time.Time, err error) {
	if account == "" || life < time.Second || life > MaxLife {
		return "", expires, fmt.Errorf("a token: expected an account, and 1s to %v; found %q and %v", MaxLife, account, life)
	}
	list, err := k.current()
	if err != nil {
		return "", expires, err
	}
	now := k.now()
	expires = now.Add(life).Truncate(time.Second)
	head, err := json.Marshal(header{algorithm, list[0].id, "JWT"})
	if err != nil {
		return "", expires, err
	}
	body, err := json.Marshal(claims{Audience, account, now.Unix(), expires.Unix()})
	if err != nil {
		return "", expires, err
	}
	signed := encode(head) + "." + encode(body)
	return signed + "." + encode(list[0].sign(signed)), expires, nil
}

// Open returns the account whose feed a token is for, and the key that it is signed with.
// The error is ErrToken, ErrExpired, or says why the keys cannot be read.
func (k *Keys) Open(token string) (account, key string, err error) {
	if len(token) > maxToken {
		return "", "", ErrToken
	}
	signed, signature, ok := cutLast(token)
	head, body, cut := strings.Cut(signed, ".")
	if !ok || !cut {
		return "", "", ErrToken
	}
	var h header
	if decode(head, &h, json.RejectUnknownMembers(true)) != nil || h.Algorithm != algorithm {
		return "", "", ErrToken
	}
	list, err := k.current()
	if err != nil {
		return "", "", err
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil {
		return "", "", ErrToken
	}
	for i := range list {
		if list[i].id == h.Key && hmac.Equal(list[i].sign(signed), given) {
			account, err = k.claimed(body)
			return account, h.Key, err
		}
	}
	return "", "", ErrToken
}

// claimed returns the account of claims that are signed.
func (k *Keys) claimed(body string) (account string, err error) {
	var c claims
	if decode(body, &c) != nil || c.Audience != Audience || c.Account == "" {
		return "", ErrToken
	}
	issued, expires, now := time.Unix(c.Issued, 0), time.Unix(c.Expires, 0), k.now()
	life := expires.Sub(issued)
	switch {
	case c.Issued <= 0 || c.Expires <= 0 || life <= 0 || life > MaxLife || issued.After(now.Add(skew)):
		return "", ErrToken
	case !now.Before(expires):
		return "", ErrExpired
	}
	return c.Account, nil
}

func cutLast(token string) (before, after string, ok bool) {
	i := strings.LastIndexByte(token, '.')
	if i < 0 {
		return "", "", false
	}
	return token[:i], token[i+1:], true
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func decode(text string, into any, options ...json.Options) error {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into, options...)
}

// sign is the signature of a text.
func (k *key) sign(text string) []byte {
	h := hmac.New(sha256.New, k.secret)
	h.Write([]byte(text))
	return h.Sum(nil)
}
