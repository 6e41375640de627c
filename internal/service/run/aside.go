package run

import "recoup/internal/engine"

// foundDamaged hears of accounts that turn out to be damaged when they are read.
func (s *service) foundDamaged(err error) {
	if s.engine != nil { // while the service starts, nobody is served yet
		s.engine.Found(err)
	}
}

// setAside tells the log of an account that is set aside, once, and when it is let in
// again. Which it is, the list of alerts says, for the log names no accounts.
func (s *service) setAside(a engine.SetAside, is bool) {
	switch {
	case !is:
		s.log.Warn("an account that was set aside is let in again", "reason", a.Reason)
	case a.Reason == engine.Damaged:
		s.log.Error("an account is damaged and set aside: GET /v1/alerts and the console's overview say which; recoup account rebuild makes it anew", "reason", a.Reason)
	default:
		s.log.Warn("an account is locked by somebody else and set aside: GET /v1/alerts and the console's overview say which", "reason", a.Reason)
	}
}

// asideByReason counts the accounts that are set aside.
func (s *service) asideByReason() map[string]int {
	n := make(map[string]int, len(engine.Reasons))
	for _, reason := range engine.Reasons {
		n[reason.String()] = 0
	}
	for _, a := range s.engine.Aside() {
		n[a.Reason.String()]++
	}
	return n
}
