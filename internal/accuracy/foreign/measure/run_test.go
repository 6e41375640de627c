package measure_test

import (
	"bytes"
	"strings"
	"testing"

	"recoup/internal/accuracy/foreign/measure"
)

// Of a card whose flaw is known the money says what it is: nobody gains at the sound one
// by a single unit, and at the others whoever returns what they kept nothing of.
func TestTruthInMoney(t *testing.T) {
	r, err := measure.Run(t.Context(), measure.Options{Designs: designs(), People: measure.Quick, Tools: []measure.Tool{measure.Audit}})
	if err != nil {
		t.Fatal(err)
	}
	leaks := map[string]int64{}
	for i := range r.Rows {
		row := &r.Rows[i]
		leaks[row.Design] = row.Truth.Leak
		if !row.Agrees() {
			t.Errorf("%s is %s, and %d accounts leak %d, with %d paid ahead", row.Design, row.Class, row.Truth.Accounts, row.Truth.Leak, row.Truth.Ahead)
		}
	}
	if leaks["floor"] == 0 || leaks["floor"] >= leaks["nothing"] || leaks["month"] >= leaks["nothing"] {
		t.Errorf("leaks %v: expected most at the card that takes nothing", leaks)
	}
	if sound := r.Rows[0].Truth; sound.Named != 0 || sound.Ahead != 0 {
		t.Errorf("at the sound card %d leaks of what is named, and %d was paid ahead: expected nothing of either", sound.Named, sound.Ahead)
	}
}

// A card that takes nothing is not robust, whoever says so, and one that takes all has no class.
func TestTruthContradicts(t *testing.T) {
	list := designs()
	list[1].Class = "robust"
	list[0].Class = "V1"
	r, err := measure.Run(t.Context(), measure.Options{Designs: list[:2], People: measure.Quick, Tools: []measure.Tool{measure.Audit}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Rows {
		if r.Rows[i].Agrees() {
			t.Errorf("%s is called %s, and the money does not contradict it: %+v", r.Rows[i].Design, r.Rows[i].Class, r.Rows[i].Truth)
		}
	}
}

// The prober is asked over HTTP, and its answers are counted.
func TestProbed(t *testing.T) {
	r, err := measure.Run(t.Context(), measure.Options{Designs: designs(), People: measure.Quick, Tools: []measure.Tool{measure.Probe}})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Count(measure.Probe, false); c.Designs != 4 || c.Right != 4 || c.Accused+c.Cleared+c.Untold != 0 {
		t.Errorf("counted %+v of %+v", c, r.Rows)
	}
	var out bytes.Buffer
	if err := r.WriteTable(&out); err != nil || !strings.Contains(out.String(), "4 of 4 classes right") {
		t.Errorf("the table is %s (%v)", out.String(), err)
	}
}
