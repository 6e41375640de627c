package event

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
)

const nameForm = "a name of 1 to 64 letters, digits, dots, hyphens and underscores"

// labels reads an object of texts by name, which may be empty.
func (d *Decoder) labels(path string, raw jsontext.Value) (reward.Labels, error) {
	if raw.Kind() != jsontext.KindBeginObject {
		return "", wrong(path, "an object of texts by name", raw)
	}
	byName := make(map[string]string)
	in := jsontext.NewDecoder(bytes.NewReader(raw.Clone()), duplicatesCheckedHere)
	if _, err := in.ReadToken(); err != nil {
		return "", d.explain(err)
	}
	for in.PeekKind() != jsontext.KindEndObject {
		name, err := in.ReadValue()
		if err != nil {
			return "", d.explain(err)
		}
		content, _ := d.unquote(name)
		key := string(content)
		switch _, again := byName[key]; {
		case !reward.IsName(key):
			return "", fault(path+"."+excerpt(key), "expected "+nameForm)
		case again:
			return "", twice(path + "." + key)
		case len(byName) == reward.MaxLabels:
			return "", fault(path, fmt.Sprintf("expected at most %d labels, found more", reward.MaxLabels))
		}
		value, err := in.ReadValue()
		if err != nil {
			return "", d.explain(err)
		}
		text, want := d.text(value)
		if want != "" {
			return "", wrong(path+"."+key, want, value)
		}
		byName[key] = string(text)
	}
	return d.repeatedLabels(reward.MakeLabels(byName)), nil
}

// repeatedLabels keeps labels that come again and again once.
func (d *Decoder) repeatedLabels(l reward.Labels) reward.Labels {
	return reward.Labels(d.repeated.string([]byte(l)))
}
