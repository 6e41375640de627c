package console

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/internal/service/scope"
)

const playgroundPath = Path + "playground"

// attacks are made once: each is a scenario that is read, and a run is a value.
var attacks = sync.OnceValue(play.Attacks)

func (c *Console) playgroundRoutes() {
	c.page("GET "+playgroundPath, scope.Read, c.playground)
	c.page("GET "+playgroundPath+"/scenario", scope.Read, c.downloadScenario)
	c.action("POST "+playgroundPath+"/scenario", scope.Read, c.loadScenario)
}

// runPath is the address of a run, which is all of it.
func runPath(r play.Run) string { return playgroundPath + "?" + r.Values().Encode() }

// opening is what somebody sees who comes for the first time: the paper's first
// attack, with its first step still to be made.
func opening() play.Run {
	r := attacks()[0].Run
	r.At = 0
	return r
}

// playground shows the run that is in the address. What a form adds to it leads to
// the address of the run that it makes, so that the address is always the whole.
func (c *Console) playground(v *visit) error {
	query := playgroundQuery(v.r)
	if len(query) == 0 {
		return v.showPlayground(http.StatusOK, opening(), nil)
	}
	if query.Has(galleryField) {
		r, err := play.Under(query.Get(galleryField))
		if err != nil {
			return v.brokenRun(err)
		}
		http.Redirect(v.w, v.r, runPath(r)+"#stage", http.StatusSeeOther)
		return nil
	}
	r, err := parseRun(query)
	if unit := r.Program.Unit(); err == nil {
		if decimals, _ := c.decimals(unit.Name); unit.Decimals != decimals {
			return v.brokenRun(locale.Errorf("%s have %d decimals in a program here, and %d in this run: expected as many, or another unit", unit.Name, decimals, unit.Decimals))
		}
	}
	if err != nil {
		if before, ok := withoutForm(query); ok {
			return v.showPlayground(http.StatusUnprocessableEntity, before, &playgroundProblem{Move: v.unplayable(err)})
		}
		return v.brokenRun(err)
	}
	if hasForm(query) {
		http.Redirect(v.w, v.r, runPath(r)+"#stage", http.StatusSeeOther)
		return nil
	}
	return v.showPlayground(http.StatusOK, r, nil)
}

// playgroundQuery is the query without what belongs to every page.
func playgroundQuery(r *http.Request) url.Values {
	query := r.URL.Query()
	query.Del("notice")
	return query
}

// brokenRun says what is wrong with an address, where to begin anew.
func (v *visit) brokenRun(err error) error {
	return v.render(http.StatusBadRequest, "playground-problem", view{
		Title: "This run cannot be played", Section: "playground", Body: v.unplayable(err),
	})
}

// unplayable says why something cannot be played, in the language of the page.
func (v *visit) unplayable(err error) string {
	var said *locale.Error
	if errors.As(err, &said) {
		return v.locale.Tell(said.Sentence)
	}
	return err.Error()
}

// galleryField is the field of the form that begins with a program of the gallery.
const galleryField = "gallery"

// moveFields are the fields of the forms that add a move, as play.Parse has them.
var moveFields = []string{"add", "amount", "category", "merchant", "label", "of", "days"}

func hasForm(query url.Values) bool {
	return slices.ContainsFunc(slices.Concat(moveFields, termFields), query.Has)
}

// parseRun reads a run, with what a form changes about it.
func parseRun(query url.Values) (play.Run, error) {
	if !slices.ContainsFunc(termFields, query.Has) {
		return play.Parse(query)
	}
	query = maps.Clone(query)
	query.Set("program", termsOf(query))
	for _, field := range termFields {
		query.Del(field)
	}
	return play.Parse(query)
}

// withoutForm reads the run that a form was to change.
func withoutForm(query url.Values) (r play.Run, ok bool) {
	if !hasForm(query) {
		return r, false
	}
	query = maps.Clone(query)
	for _, field := range slices.Concat(moveFields, termFields) {
		query.Del(field)
	}
	r, err := play.Parse(query)
	return r, err == nil && len(query) > 0
}
