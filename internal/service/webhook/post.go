package webhook

import (
	"context"
	"time"

	"recoup/internal/kit/signing"
)

// Post sends something else than a notice, once, signed with a secret like a delivery. Of
// the options it heeds AllowPrivate, TLS and Timeout.
func Post(ctx context.Context, o Options, url, secret, contentType string, body []byte) error {
	setDefault(&o.Timeout, 15*time.Second)
	d := &Dispatcher{options: o, client: newClient(&o)}
	defer d.client.CloseIdleConnections()
	_, err := d.send(ctx, &target{url: url, secrets: keyring{{secret: secret}}, contentType: contentType}, body, time.Now())
	return err
}

// CheckTarget reports whether Post can send to a URL with a secret, as far as that can be
// told without doing it.
func CheckTarget(url, secret string, allowPrivate bool) error {
	if err := checkURL(url, allowPrivate); err != nil {
		return err
	}
	_, err := signing.Key(secret)
	return err
}
