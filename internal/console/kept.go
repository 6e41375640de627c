package console

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/console/session"
	"recoup/internal/service/budget"
)

// keptForm is a form that came after its session had ended: what was typed is kept in a
// cookie until somebody has signed in again, who can send it then.
type keptForm struct {
	Path   string     `json:"path"` // that it was sent to
	Fields url.Values `json:"fields"`
}

// How long a form is kept, how large its cookie may be, which browsers bound at 4 KiB, and
// how large a form is looked at.
const (
	keptFor     = 15 * time.Minute
	mostKept    = 3500
	mostUnkept  = 64 << 10
	keptCookie  = "recoup_kept"
	keptAddress = Path + "kept"
)

// keptPage is what was typed, to be sent or not.
type keptPage struct {
	Path, Back string
	Hidden     []keptField // all of the form
	Typed      []keptField // what a person would recognise
}

type keptField struct{ Name, Value string }

// sessionEnded answers a form of a session that has ended: by the page to sign in, with the
// form kept for afterwards.
func (v *visit) sessionEnded() {
	err := v.within(budget.SigningIn, func(v *visit) error {
		if err := v.parseForm(mostUnkept, "What was typed is too much to be kept. Nothing was changed."); err != nil {
			return err
		}
		text := "Your session has ended, and nothing was changed. Sign in: what you typed is kept, and you can send it then."
		kept := keptForm{Path: v.r.URL.RequestURI(), Fields: maps.Clone(v.r.PostForm)}
		delete(kept.Fields, session.FormField)
		cookie, next := kept.encode(), keptAddress
		if v.r.URL.Path == Path+"sign-out" { // which is what has happened
			return v.askInFor(http.StatusUnauthorized, v.say("Your session has ended, and nothing was changed. Sign in to go on."), Path)
		}
		if len(cookie) > mostKept || len(kept.Path) > mostKept {
			text = "Your session has ended, and nothing was changed. What you typed is too long to be kept here: sign in in another tab, come back to this one, go back and send it again."
			next = Path
		} else {
			http.SetCookie(v.w, v.console.sessions.Brief(keptCookie, cookie, keptFor))
		}
		return v.askInFor(http.StatusUnauthorized, v.say(text), next)
	})
	if err != nil {
		v.failed(err)
	}
}

var keptEncoding = base64.RawURLEncoding.Strict()

func (k *keptForm) encode() string {
	text, err := json.Marshal(k)
	if err != nil {
		return strings.Repeat("x", mostKept+1)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil || w.Close() != nil {
		return strings.Repeat("x", mostKept+1)
	}
	return keptEncoding.EncodeToString(packed.Bytes())
}

// decodeKept reads what encode wrote; ok is false if it is nothing of the kind.
func decodeKept(text string) (k keptForm, ok bool) {
	packed, err := keptEncoding.DecodeString(text)
	if err != nil || len(text) > mostKept {
		return k, false
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), 2*mostUnkept))
	if err != nil || json.Unmarshal(plain, &k) != nil {
		return k, false
	}
	u, err := url.Parse(k.Path)
	return k, err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(u.Path, Path) && !strings.Contains(u.Path, "..") && !strings.Contains(u.Path, "\\") && !strings.Contains(u.Path, "//")
}

// kept shows what was typed before a session ended. Nothing is sent by itself: who has
// signed in may be somebody else.
func (c *Console) kept(v *visit) error {
	cookie, err := v.r.Cookie(c.sessions.Named(keptCookie))
	if err != nil {
		return v.moved(Path, "")
	}
	kept, ok := decodeKept(cookie.Value)
	if !ok {
		return v.moved(Path, "")
	}
	body := keptPage{Path: kept.Path, Back: pageOfForm(kept.Path)}
	for _, name := range slices.Sorted(maps.Keys(kept.Fields)) {
		for _, value := range kept.Fields[name] {
			field := keptField{name, value}
			body.Hidden = append(body.Hidden, field)
			if value != "" && !isFormID(resolutionIDs, value) && !isFormID(adjustmentIDs, value) {
				body.Typed = append(body.Typed, field)
			}
		}
	}
	return v.show("kept", "", "What you typed is here", body)
}

// pageOfForm is the page that has a form which is sent to an address of its own.
func pageOfForm(path string) string {
	address, query, _ := strings.Cut(path, "?")
	for _, page := range []string{"reviews", "review"} {
		if strings.HasPrefix(address, Path+page+"/") {
			return strings.TrimSuffix(Path+page+"?"+query, "?")
		}
	}
	return path
}

// forgetKept has a browser forget a form that was kept.
func (v *visit) forgetKept() { http.SetCookie(v.w, v.console.sessions.Brief(keptCookie, "", -1)) }
