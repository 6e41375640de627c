package truth

// Report is what accounts were left with against what they deserve.
type Report struct {
	Accounts int    `json:"accounts"` // of each customer, distortion and method
	Seed     uint64 `json:"seed"`
	Tries    int    `json:"tries"`
	// Totals are over all distortions but the control.
	Totals []TotalRow `json:"totals"`
	// Rows are in the order of customers, distortions and methods.
	Rows []Row `json:"rows"`
	// Settings are about the distortions that tell the truth, without the control.
	Settings []SettingRow `json:"settings"`
}

// Row is about one distortion under one method, in all settings.
type Row struct {
	RowKey
	Tally
}

// RowKey says what a Row is about.
type RowKey struct {
	Customer   Customer `json:"customer"`
	Distortion string   `json:"distortion"`
	True       bool     `json:"data_true"`
	Method     string   `json:"method"`
}

// TotalRow is about all distortions whose data are true, or untrue, under one method.
type TotalRow struct {
	TotalKey
	Tally
}

// TotalKey says what a TotalRow is about.
type TotalKey struct {
	Customer Customer `json:"customer"`
	True     bool     `json:"data_true"`
	Method   string   `json:"method"`
}

// SettingRow is about one program with its timing, under one method.
type SettingRow struct {
	SettingKey
	Tally
}

// SettingKey says what a SettingRow is about.
type SettingKey struct {
	Customer Customer `json:"customer"`
	Method   string   `json:"method"`
	Program  string   `json:"program"`
	Timing   string   `json:"timing"`
}

// tallies are kept by what they are about, in the order in which that is first met.
type tallies[K comparable] struct {
	order []K
	of    map[K]*Tally
}

func (t *tallies[K]) add(key K, v *Verdict) {
	if t.of[key] == nil {
		if t.of == nil {
			t.of = make(map[K]*Tally)
		}
		t.of[key] = new(Tally)
		t.order = append(t.order, key)
	}
	t.of[key].add(v)
}

func newReport(o *Options, trials []trial) *Report {
	r := &Report{Accounts: o.Accounts, Seed: o.Seed, Tries: o.Tries}
	var rows tallies[RowKey]
	var totals tallies[TotalKey]
	var settings tallies[SettingKey]
	for i := range trials {
		t := &trials[i]
		method := methodName(t.method)
		rows.add(RowKey{t.customer, t.distortion.Name, t.distortion.True, method}, &t.verdict)
		if t.distortion.Name == Control {
			continue
		}
		totals.add(TotalKey{t.customer, t.distortion.True, method}, &t.verdict)
		if t.distortion.True {
			settings.add(SettingKey{t.customer, method, t.setting.Program, t.setting.Words()}, &t.verdict)
		}
	}
	for _, key := range rows.order {
		r.Rows = append(r.Rows, Row{key, *rows.of[key]})
	}
	for _, key := range totals.order {
		r.Totals = append(r.Totals, TotalRow{key, *totals.of[key]})
	}
	for _, key := range settings.order {
		r.Settings = append(r.Settings, SettingRow{key, *settings.of[key]})
	}
	return r
}
