package budget

import "sync"

// Share is so much of something that holders have at a time. None may have more than
// is left to others: one alone half of it, and beside n who take all that they can get
// still one part in n+2. So whoever comes finds room, however much others ask for, and
// nobody has to say beforehand how many they are. Its methods may be called side by
// side.
type Share struct {
	size int64
	most int64 // of one holder in any case; zero: no such limit

	mu   sync.Mutex
	used int64
	held map[string]int64
}

// NewShare returns so much of something, of which nobody has anything.
func NewShare(size int64) *Share { return &Share{size: size, held: make(map[string]int64)} }

// Take gives a holder n more, or reports that there is no room for that.
func (s *Share) Take(holder string, n int64) bool { return s.take(holder, n, false) }

// TakeFirst is Take, but never refuses somebody who holds nothing: it is for what
// comes in pieces that may be larger than what is left.
func (s *Share) TakeFirst(holder string, n int64) bool { return s.take(holder, n, true) }

func (s *Share) take(holder string, n int64, first bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.held[holder]
	fits := own+n <= s.size-s.used && (s.most == 0 || own+n <= s.most)
	if !fits && !(first && own == 0) {
		return false
	}
	s.used += n
	if n > 0 {
		s.held[holder] = own + n
	}
	return true
}

// Give takes n back from a holder.
func (s *Share) Give(holder string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
	if s.held[holder] -= n; s.held[holder] <= 0 {
		delete(s.held, holder)
	}
}

// Used returns how much all have together.
func (s *Share) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Size returns how much there is.
func (s *Share) Size() int64 { return s.size }
