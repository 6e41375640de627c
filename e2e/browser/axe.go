package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// accessible has axe-core look for what WCAG 2.2 AA forbids.
const accessible = `axe.run(document, {
	runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
	resultTypes: ["violations"],
}).then((found) => JSON.stringify(found.violations.map((v) => ({
	rule: v.id, help: v.help + ", " + v.helpUrl,
	places: v.nodes.map((n) => ({selector: [n.target].flat(9).join(" "), why: n.failureSummary, html: n.html})),
}))))`

// violation is a rule that a page breaks, and where.
type violation struct {
	Rule, Help string
	Places     []struct{ Selector, Why, HTML string }
}

// audited is how long axe-core may take: it does not wait, it computes, some five
// seconds for the longest page where nothing else is computed, and its share of the
// processor is small where everything is tested at once.
const audited = 5 * patience

// Axe fails the test for each violation of WCAG 2.2 AA that axe-core finds in the
// page as it is, with the rule, the element and what would help. It needs the
// network the first time that it runs on a machine.
func (p *Page) Axe() {
	p.t.Helper()
	source, err := axeSource()
	if err != nil {
		p.t.Fatal(err)
	}
	p.settle()
	ctx, cancel := context.WithTimeout(p.ctx, audited)
	defer cancel()
	violations, err := p.audit(ctx, source)
	if err != nil {
		p.t.Fatalf("axe on %s: %v", p.URL(), err)
	}
	for _, v := range violations {
		for _, at := range v.Places {
			p.t.Errorf("%s is not accessible: %s at %s: %s\n%s\n%s", p.URL(), v.Rule, at.Selector, v.Help,
				at.HTML, strings.TrimSpace(at.Why))
		}
	}
}

// audit runs axe-core in the page. It comes in through the debugging protocol, so
// the page's own security policy stays as it is. Where scripts are switched off,
// they are on for as long as it takes: those of the page do not begin then.
func (p *Page) audit(ctx context.Context, source string) (violations []violation, err error) {
	if p.options.NoScript {
		if err := switchScripts(ctx, true); err != nil {
			return nil, err
		}
		defer func() {
			if off := switchScripts(ctx, false); err == nil {
				err = off
			}
		}()
	}
	there, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("typeof axe === 'object'"))
	if err != nil {
		return nil, err
	}
	if !there {
		if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](source)); err != nil {
			return nil, err
		}
	}
	found, err := chromedp.Run(ctx, chromedp.Evaluate[string](accessible, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		return nil, fmt.Errorf("what it says cannot be read: %w", err)
	}
	return violations, nil
}

func switchScripts(ctx context.Context, on bool) error {
	return call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}
