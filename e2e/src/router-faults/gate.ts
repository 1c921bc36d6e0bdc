import { type Behaviour, hanging } from './behaviours';

/**
 * A destination that answers a few requests and then none until it is opened, so that a process that sends to it has
 * requests in flight for as long as a spec needs.
 */
export class Gate {
  /** Requests that got no answer. */
  unanswered = 0;
  private left: number;

  /** @param first number of requests that are answered before it is opened. */
  constructor(
    private readonly usual: Behaviour,
    first: number,
  ) {
    this.left = first;
  }

  /** Answers every request from now on. */
  open(): void {
    this.left = Number.POSITIVE_INFINITY;
  }

  readonly behaviour: Behaviour = (events) => {
    this.left -= 1;
    if (this.left >= 0) return this.usual(events);
    this.unanswered += 1;
    return hanging(events);
  };
}
