package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
)

// Options are whose page it is, and how its user looks at it.
type Options struct {
	Server        string   // where paths begin, such as http://127.0.0.1:8080
	Others        []string // further servers that may be asked, such as one that people sign in at
	Width, Height int      // of the window in CSS pixels; 0: 1280 and 800, or a phone's 390 and 844
	Phone         bool     // a phone: touch, a viewport of its own, two pixels to one of CSS
	Dark          bool     // prefers a dark colour scheme
	NoScript      bool     // JavaScript is switched off
	Locale        string   // the user's language, such as de-DE; "" is en-US
	AnyTLS        bool     // takes any certificate, such as one that a test made
}

// The window of a phone and of a desk. A phone's is what WCAG and most designs
// take for narrow.
const (
	phoneWidth, phoneHeight = 390, 844
	deskWidth, deskHeight   = 1280, 800
	phoneScale              = 2
)

func (o Options) completed() Options {
	width, height := deskWidth, deskHeight
	if o.Phone {
		width, height = phoneWidth, phoneHeight
	}
	if o.Width == 0 {
		o.Width = width
	}
	if o.Height == 0 {
		o.Height = height
	}
	if o.Locale == "" {
		o.Locale = "en-US"
	}
	return o
}

func (o Options) scale() float64 {
	if o.Phone {
		return phoneScale
	}
	return 1
}

// emulate has a page be looked at so. Every page is in UTC and prefers no motion,
// which makes two runs alike.
func (o Options) emulate(ctx context.Context, downloads string) error {
	scheme := "light"
	if o.Dark {
		scheme = "dark"
	}
	touches := int64(0)
	if o.Phone {
		touches = 1
	}
	yes := true
	return errors.Join(
		call(ctx, audits.Enable, cdp.Empty{}),
		call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(o.Width), Height: int64(o.Height), DeviceScaleFactor: o.scale(), Mobile: o.Phone,
		}),
		call(ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: o.Phone, MaxTouchPoints: touches}),
		call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
		}}),
		call(ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{AcceptLanguage: o.Locale}),
		call(ctx, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: o.Locale}),
		call(ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"}),
		switchScripts(ctx, !o.NoScript),
		call(ctx, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: o.AnyTLS}),
		callBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: downloads,
			BrowserContextID: chromedp.FromContext(ctx).BrowserContextID, EventsEnabled: &yes,
		}),
	)
}

// call sends a command whose result is of no interest.
func call[P, R any](ctx context.Context, command cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(ctx, command, params)
	return err
}

func callBrowser[P, R any](ctx context.Context, command cdp.Command[P, R], params P) error {
	_, err := chromedp.CallBrowser(ctx, command, params)
	return err
}
