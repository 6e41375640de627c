// Package accuracy measures how often the auditor and the prober are right. It has
// the lab's designs, whose flaws are known, produce exports and answer probes,
// under programs, traffic and conditions that differ from seed to seed, and
// compares what each tool says with the truth.
//
// Everything comes from the seed: the same number of seeds gives the same report.
package accuracy
