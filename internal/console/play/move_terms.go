package play

import (
	"strings"

	"recoup/internal/console/locale"
	"recoup/reward"
)

// This file has what terms may ask of a move besides shop and category, as scenario files
// write it: "mcc 4511", "channel=app", and the lines of a receipt, "item pan 39.50 HOME".

// Limits of it.
const (
	maxLabels = 4
	maxItems  = 6
)

// checkTerms says what is wrong with code, labels and items.
func (m *Move) checkTerms() error {
	if m.Code != "" {
		if _, ok := reward.ParseMCC(m.Code); !ok {
			return locale.Errorf("mcc %s: expected four digits", quote(m.Code))
		}
	}
	if err := checkLabels(m.Labels); err != nil {
		return err
	}
	seen := make(map[string]bool)
	var sum int64
	for item := range m.Items.All() {
		switch {
		case !isWord(item.ID) || seen[item.ID] || len(seen) == maxItems:
			return locale.Errorf("item %s: expected up to %d, each with a word of its own", quote(item.ID), maxItems)
		case item.Amount <= 0 || item.Amount > MaxAmount:
			return locale.Errorf("item %s: expected an amount above zero", quote(item.ID))
		case item.Category != "" && !isCategory(item.Category):
			return locale.Errorf("item %s: expected a category in capitals", quote(item.ID))
		}
		if err := checkLabels(item.Labels); err != nil {
			return err
		}
		seen[item.ID] = true
		sum += item.Amount
	}
	if len(seen) > 0 && sum != m.Amount {
		return locale.Errorf("its items come to another amount than it")
	}
	return nil
}

func checkLabels(labels reward.Labels) error {
	n := 0
	for name, value := range labels.All() {
		if n++; !reward.IsName(name) || !isWord(name) || !isWord(value) || n > maxLabels {
			return locale.Errorf("label %s: expected up to %d, such as channel=app", quote(name+"="+value), maxLabels)
		}
	}
	return nil
}

// termWords write code, labels and items.
func (m *Move) termWords() (words []string) {
	if m.Code != "" {
		words = append(words, "mcc", m.Code)
	}
	words = append(words, labelWords(m.Labels)...)
	for item := range m.Items.All() {
		words = append(words, "item", item.ID, decimal(item.Amount))
		if item.Category != "" {
			words = append(words, item.Category)
		}
		words = append(words, labelWords(item.Labels)...)
	}
	return words
}

func labelWords(labels reward.Labels) (words []string) {
	for name, value := range labels.All() {
		words = append(words, name+"="+value)
	}
	return words
}

// terms reads what termWords writes.
func (r *wordReader) terms(m *Move) (err error) {
	if r.take("mcc") {
		m.Code = r.next()
	}
	if m.Labels, err = r.labels(); err != nil {
		return err
	}
	var items []reward.Item
	for r.take("item") {
		item := reward.Item{ID: r.next()}
		if item.Amount, err = amount(r.next()); err != nil {
			return err
		}
		if len(r.words) > 0 && isCategory(r.words[0]) {
			item.Category = r.next()
		}
		if item.Labels, err = r.labels(); err != nil {
			return err
		}
		if items = append(items, item); len(items) > maxItems {
			return locale.Errorf("expected at most %d items", maxItems)
		}
	}
	if len(items) > 0 {
		m.Items = reward.MakeItems(items)
	}
	return nil
}

// labels reads labels as far as there are.
func (r *wordReader) labels() (reward.Labels, error) {
	byName := make(map[string]string)
	for len(r.words) > 0 && strings.Contains(r.words[0], "=") {
		name, value, _ := strings.Cut(r.next(), "=")
		if !isWord(name) || !isWord(value) || byName[name] != "" {
			return "", locale.Errorf("label %s: expected one such as channel=app, each once", quote(name+"="+value))
		}
		byName[name] = value
	}
	return reward.MakeLabels(byName), nil
}
