package feed_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/feed"
)

const (
	secretOne = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	secretTwo = "//////////////////////////////////////////8="
)

var noon = time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)

// signed makes a token by hand, as somebody with another library would.
func signed(head, body, secret string, with func() hash.Hash) string {
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		panic(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(head)) + "." + base64.RawURLEncoding.EncodeToString([]byte(body))
	mac := hmac.New(with, key)
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func keysIn(t *testing.T, lines string) (k *feed.Keys, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "keys")
	noError(t, os.WriteFile(file, []byte(lines), 0o600))
	k, err := feed.Open(file, func() time.Time { return noon })
	noError(t, err)
	return k, file
}

const usualHead = `{"alg":"HS256","kid":"k1","typ":"JWT"}`

func body(account string, issued, expires time.Duration) string {
	return fmt.Sprintf(`{"aud":"recoup:feed","sub":%q,"iat":%d,"exp":%d,"jti":"others may be there"}`, account, noon.Add(issued).Unix(), noon.Add(expires).Unix())
}

func TestTokensAreReadStrictly(t *testing.T) {
	k, _ := keysIn(t, "# shared with the app's backend\nk1 "+secretOne+"\nk2 "+secretTwo+"\n")
	good := body("acct-1", 0, 5*time.Minute)
	usual := signed(usualHead, good, secretOne, sha256.New)
	parts := strings.Split(usual, ".")
	for what, c := range map[string]struct {
		token string
		want  error
	}{
		"as usual":                    {usual, nil},
		"by the other key":            {signed(`{"alg":"HS256","kid":"k2"}`, good, secretTwo, sha256.New), nil},
		"a clock that is ahead":       {signed(usualHead, body("acct-1", time.Minute, 5*time.Minute), secretOne, sha256.New), nil},
		"the longest life":            {signed(usualHead, body("acct-1", 0, 15*time.Minute), secretOne, sha256.New), nil},
		"no algorithm":                {signed(`{"alg":"none","kid":"k1"}`, good, secretOne, sha256.New), feed.ErrToken},
		"another algorithm":           {signed(`{"alg":"HS512","kid":"k1"}`, good, secretOne, sha512.New), feed.ErrToken},
		"no signature":                {parts[0] + "." + parts[1] + ".", feed.ErrToken},
		"nothing signed":              {base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"k1"}`)) + "." + parts[1] + ".", feed.ErrToken},
		"another's key under the id":  {signed(usualHead, good, secretTwo, sha256.New), feed.ErrToken},
		"a key that is not known":     {signed(`{"alg":"HS256","kid":"k3"}`, good, secretOne, sha256.New), feed.ErrToken},
		"no key":                      {signed(`{"alg":"HS256"}`, good, secretOne, sha256.New), feed.ErrToken},
		"a header that is critical":   {signed(`{"alg":"HS256","kid":"k1","crit":["b64"],"b64":false}`, good, secretOne, sha256.New), feed.ErrToken},
		"a header said twice":         {signed(`{"alg":"HS256","alg":"none","kid":"k1"}`, good, secretOne, sha256.New), feed.ErrToken},
		"another account, signed not": {parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(body("acct-2", 0, 5*time.Minute))) + "." + parts[2], feed.ErrToken},
		"over":                        {signed(usualHead, body("acct-1", -5*time.Minute, 0), secretOne, sha256.New), feed.ErrExpired},
		"over, and signed by nobody":  {signed(usualHead, body("acct-1", -5*time.Minute, 0), secretTwo, sha256.New), feed.ErrToken},
		"too long a life":             {signed(usualHead, body("acct-1", 0, 15*time.Minute+time.Second), secretOne, sha256.New), feed.ErrToken},
		"from tomorrow":               {signed(usualHead, body("acct-1", 24*time.Hour, 24*time.Hour+time.Minute), secretOne, sha256.New), feed.ErrToken},
		"ends before it begins":       {signed(usualHead, body("acct-1", time.Minute, 30*time.Second), secretOne, sha256.New), feed.ErrToken},
		"no account":                  {signed(usualHead, body("", 0, time.Minute), secretOne, sha256.New), feed.ErrToken},
		"of somebody else":            {signed(usualHead, strings.Replace(good, "recoup:feed", "recoup:admin", 1), secretOne, sha256.New), feed.ErrToken},
		"no beginning":                {signed(usualHead, fmt.Sprintf(`{"aud":"recoup:feed","sub":"acct-1","exp":%d}`, noon.Add(time.Minute).Unix()), secretOne, sha256.New), feed.ErrToken},
		"no end":                      {signed(usualHead, fmt.Sprintf(`{"aud":"recoup:feed","sub":"acct-1","iat":%d}`, noon.Unix()), secretOne, sha256.New), feed.ErrToken},
		"an account said twice":       {signed(usualHead, strings.Replace(good, `"iat"`, `"sub":"acct-2","iat"`, 1), secretOne, sha256.New), feed.ErrToken},
		"no JSON":                     {signed(usualHead, "acct-1", secretOne, sha256.New), feed.ErrToken},
		"padded":                      {usual + "=", feed.ErrToken},
		"four parts":                  {usual + ".x", feed.ErrToken},
		"too long":                    {signed(usualHead, strings.Replace(good, "others", strings.Repeat("o", 2000), 1), secretOne, sha256.New), feed.ErrToken},
		"nothing":                     {"", feed.ErrToken},
	} {
		account, key, err := k.Open(c.token)
		if !errors.Is(err, c.want) || err == nil && (account != "acct-1" || key == "") {
			t.Errorf("%s: %q %q %v, want %v", what, account, key, err, c.want)
		}
	}
}

// A key that is put before the others signs from then on, and one that is taken out ends
// what it signed.
func TestKeysAreReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	first, err := feed.New(file, noon)
	noError(t, err)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	open := func() *feed.Keys {
		k, err := feed.Open(file, func() time.Time { return noon })
		noError(t, err)
		return k
	}
	old, _, err := open().Mint("acct-1", time.Minute)
	noError(t, err)
	second, err := feed.New(file, noon)
	noError(t, err)
	younger, _, err := open().Mint("acct-1", time.Minute)
	noError(t, err)
	for token, want := range map[string]string{old: first, younger: second} {
		if account, key, err := open().Open(token); err != nil || account != "acct-1" || key != want {
			t.Errorf("%q %q %v, want the key %s", account, key, err, want)
		}
	}
	text, err := os.ReadFile(file)
	noError(t, err)
	newest, _, _ := strings.Cut(string(text), "\n")
	noError(t, os.WriteFile(file, []byte(newest), 0o600))
	if _, _, err := open().Open(old); !errors.Is(err, feed.ErrToken) {
		t.Errorf("a token of a key that is gone: %v", err)
	}
	if _, _, err := open().Open(younger); err != nil {
		t.Error(err)
	}
}

// A running service sees that within a second or so, and believes nothing once the file
// cannot be read.
func TestAKeyIsRevokedWhileTheServiceRuns(t *testing.T) {
	k, file := keysIn(t, "k1 "+secretOne+"\n")
	token, _, err := k.Mint("acct-1", time.Minute)
	noError(t, err)
	until := func(what string, want func(error) bool) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; {
			_, _, err := k.Open(token)
			switch {
			case want(err):
				return
			case time.Now().After(end):
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
	noError(t, os.WriteFile(file, []byte("k2 "+secretTwo+"\n"), 0o600))
	until("the key is gone", func(err error) bool { return errors.Is(err, feed.ErrToken) })
	noError(t, os.WriteFile(file, []byte("k1 "+secretOne+"\n"), 0o600))
	until("the key is back", func(err error) bool { return err == nil })
	noError(t, os.Remove(file))
	until("the file is gone", func(err error) bool { return errors.Is(err, os.ErrNotExist) })
	if _, _, err := k.Mint("acct-1", time.Minute); err == nil {
		t.Error("a token was made without a key")
	}
}

func TestFilesOfKeysThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      ":1: expected 1 to 100 keys",
		"# nothing\n":                           ":1: expected 1 to 100 keys",
		"k1\n":                                  ":1: expected an id",
		"\nk1 x y\n":                            ":2: expected an id",
		"k.1 " + secretOne:                      ":1: expected an id",
		"k1 c2hvcnQ=":                           ":1: the secret of k1: expected base64 of 32 bytes or more",
		"k1 nonsense!":                          ":1: the secret of k1",
		"k1 " + secretOne + "\nk1 " + secretTwo: ":2: the id k1 is there already",
	} {
		file := filepath.Join(t.TempDir(), "keys")
		noError(t, os.WriteFile(file, []byte(text), 0o600))
		if _, err := feed.Open(file, time.Now); err == nil || !strings.Contains(err.Error(), file+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := feed.Open(filepath.Join(t.TempDir(), "none"), time.Now); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestOrigins(t *testing.T) {
	for _, o := range []string{"https://app.example", "https://app.example:8443", "http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000"} {
		if err := feed.CheckOrigin(o); err != nil {
			t.Error(err)
		}
	}
	for _, o := range []string{"", "*", "null", "app.example", "https://app.example/", "https://app.example/x", "http://app.example", "https://a@app.example", "ftp://app.example", "https://"} {
		if feed.CheckOrigin(o) == nil {
			t.Errorf("%q is taken for an origin", o)
		}
	}
}

// Every language says every sentence, and with the same values.
func TestEveryLanguageSaysEverything(t *testing.T) {
	for _, gap := range feed.Gaps() {
		t.Error(gap)
	}
}

// FuzzTokens: whatever is sent, nobody's token but one that was signed opens.
func FuzzTokens(f *testing.F) {
	file := filepath.Join(f.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("k1 "+secretOne+"\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	k, err := feed.Open(file, func() time.Time { return noon })
	if err != nil {
		f.Fatal(err)
	}
	own := signed(usualHead, body("acct-1", 0, time.Minute), secretOne, sha256.New)
	for _, token := range []string{own, own + "=", "", "..", own[:len(own)-1], strings.ToUpper(own)} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if account, _, err := k.Open(token); err == nil && token != own {
			t.Fatalf("%q opens the feed of %q", token, account)
		}
	})
}
