package session

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"recoup/internal/store/record"
	"recoup/reward"
)

// What a provider says of somebody is asked again now and then: with the refresh token
// that it gave, or, if it gave none, by having them go there once more. So a role that is
// taken away is gone within DefaultRefresh.
const (
	DefaultRefresh = 5 * time.Minute
	// refreshTurn is for how long others go on while one request asks.
	refreshTurn = reward.Instant(30 * time.Second)
	// unconfirmed is for how long somebody stays signed in whose provider does not answer.
	unconfirmed = reward.Instant(time.Hour)
)

// confirmed asks the provider again, if it is time, and says whether the session goes on
// and as whose.
func (s *Sessions) confirmed(ctx context.Context, t token, r *row) (ok bool, err error) {
	now := reward.At(s.now())
	if r.Due == 0 || int64(now) < r.Due {
		return true, nil
	}
	if len(r.Refresh) == 0 {
		return false, nil
	}
	turn, err := s.takeTurn(ctx, t, r, now)
	if err != nil || !turn {
		return err == nil, err
	}
	refresh, err := t.open(r.Refresh)
	if err != nil {
		return false, nil
	}
	p, next, err := s.provider.again(ctx, refresh, r.Person)
	var denied *Denied
	switch {
	case errors.As(err, &denied):
		return false, s.end(ctx, t.id())
	case err != nil && int64(now) < r.Confirmed+int64(unconfirmed):
		return true, nil // the provider is away, and is asked again
	case err != nil:
		return false, nil
	}
	return true, s.update(ctx, t.id(), func(kept *row) {
		kept.Name, kept.Scopes = p.Name, p.Scopes.String()
		kept.Confirmed, kept.Due = int64(now), int64(now+reward.Instant(s.refresh))
		if next != "" {
			kept.Refresh = t.close(next)
		}
		*r = *kept
	})
}

// takeTurn reports whether this request is the one that asks the provider.
func (s *Sessions) takeTurn(ctx context.Context, t token, r *row, now reward.Instant) (mine bool, err error) {
	err = s.update(ctx, t.id(), func(kept *row) {
		if mine = kept.Due == r.Due; mine {
			kept.Due = int64(now + refreshTurn)
		}
	})
	return mine, err
}

// update changes a session that is there.
func (s *Sessions) update(ctx context.Context, id string, f func(*row)) error {
	err := s.records.Change(ctx, func(tx record.Tx) error {
		row, ok, err := sessions.Get(ctx, tx, id)
		if err != nil || !ok {
			return err
		}
		f(&row)
		return sessions.Put(tx, id, &row)
	})
	if err != nil {
		return fmt.Errorf("noting what is known of the session: %w", err)
	}
	return nil
}

// again asks who somebody is by now who signed in as a person. The error is Denied if the
// provider does not say so any more, or gives them no role.
func (p *provider) again(ctx context.Context, refresh, person string) (Person, string, error) {
	found, err := p.discovered(ctx)
	if err != nil {
		return Person{}, "", err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	answer, err := p.exchange(found).TokenSource(ctx, &oauth2.Token{RefreshToken: refresh}).Token()
	if refused := new(oauth2.RetrieveError); errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < 500 {
		return Person{}, "", &Denied{Message: "The provider ended the session: sign in once more.", Cause: err}
	} else if err != nil {
		return Person{}, "", fmt.Errorf("asking the provider %s who is signed in: %w", p.Issuer, err)
	}
	raw, _ := answer.Extra("id_token").(string)
	if raw == "" {
		return Person{}, "", unproven(errors.New("no id_token came with the refreshed one"))
	}
	c, _, err := p.verified(ctx, found, raw)
	if err != nil {
		return Person{}, "", err
	}
	who, err := p.person(c)
	if err != nil {
		return Person{}, "", err
	}
	if who.ID != person {
		return Person{}, "", unproven(errors.New("the refreshed token is about somebody else"))
	}
	return who, answer.RefreshToken, nil
}

// The refresh token is sealed with a key that only the browser's cookie gives: the
// database alone signs nobody in anywhere.
func (t token) cipher() cipher.AEAD {
	mac := hmac.New(sha256.New, t[:])
	mac.Write([]byte("recoup console: refresh"))
	block, _ := aes.NewCipher(mac.Sum(nil)) // 32 bytes are a key
	aead, _ := cipher.NewGCM(block)
	return aead
}

func (t token) close(text string) []byte {
	aead := t.cipher()
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	return aead.Seal(nonce, nonce, []byte(text), nil)
}

func (t token) open(sealed []byte) (string, error) {
	aead := t.cipher()
	if len(sealed) < aead.NonceSize() {
		return "", errors.New("too short")
	}
	text, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], nil)
	return string(text), err
}
