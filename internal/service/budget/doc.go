// Package budget divides what a service can do at a time among those who ask it for
// something: requests at work, bytes of bodies, previews, connections. Nothing waits
// here but previews and large bodies; what there is no room for is refused at once.
//
//   - share.go: how much of a thing one holder may have. It is what is left to others.
//   - class.go: the kinds of work, each with room of its own, so that no amount of one
//     takes room from another.
//   - budget.go: requests and bytes, by class and by holder.
//   - preview.go: previews, which take more memory and time than anything else.
//   - processor.go: large bodies, which keep a processor busy.
//   - machine.go: how much there is of each, by the machine.
//   - body.go, answer.go: bodies are charged as they arrive, and must arrive and be
//     taken at a minimum rate.
//   - listener.go: connections, also of those who never send a request.
//
// A holder is a key, a person or, where nobody is known, an address.
package budget
