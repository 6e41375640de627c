package plan

// server is a database server: processors, of which any does the next commit that is
// ready for one, and a disk, of which one sync is for all commits that are ready for it.
type server struct {
	idle    int   // processors
	forOne  []int // lanes with a commit that is ready for a processor
	forDisk []int // lanes with a commit that is ready for the disk
	inSync  []int // and those that the sync under way is for
	working int64 // time of all processors, where it counts
	syncing int64 // time of the disk, where it counts
}

// ready has a processor do a lane's commit, as soon as one is idle.
func (s *server) ready(r *run, lane int) {
	if s.idle == 0 {
		s.forOne = append(s.forOne, lane)
		return
	}
	s.idle--
	takes := int64(r.Commit) + int64(len(r.lanes[lane].batch))*int64(r.Event)
	s.working += r.within(r.now, r.now+takes)
	r.agenda.add(r.now+takes, written, lane)
}

// written frees the processor, and has the commit synced.
func (s *server) written(r *run, lane int) {
	s.idle++
	if len(s.forOne) > 0 {
		next := s.forOne[0]
		s.forOne = s.forOne[1:]
		s.ready(r, next)
	}
	s.forDisk = append(s.forDisk, lane)
	s.sync(r, r.lanes[lane].server)
}

// sync begins a sync of all commits that are ready, unless one is under way.
func (s *server) sync(r *run, self int) {
	if len(s.inSync) > 0 || len(s.forDisk) == 0 {
		return
	}
	s.inSync, s.forDisk = s.forDisk, s.inSync[:0]
	s.syncing += r.within(r.now, r.now+int64(r.Sync))
	r.agenda.add(r.now+int64(r.Sync), synced, self)
}

func (s *server) synced(r *run, self int) {
	for _, lane := range s.inSync {
		r.agenda.add(r.now+int64(r.Standby), answered, lane)
	}
	s.inSync = s.inSync[:0]
	s.sync(r, self)
}

// within is how much of a span of time counts.
func (r *run) within(from, to int64) int64 {
	return max(0, min(to, int64(r.Warmup+r.Duration))-max(from, int64(r.Warmup)))
}
