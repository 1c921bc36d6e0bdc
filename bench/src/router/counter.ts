import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stop } from '../child';
import type { Window } from '../cpu-origins';

/** How a destination answers: 200, 503, 500, 429 with `Retry-After`, or never. */
export type Behaviour = 'well' | 'away' | 'failing' | 'throttling' | 'hanging';

/** Requests to the counting process. */
export type Asked =
  | { readonly what: 'reset' }
  /** Records the time in flight of late events, of the first `first` destinations. */
  | { readonly what: 'watch'; readonly first: number; readonly lateMs: number }
  /** Includes the delays of the first `first` destinations together; default: of none. */
  | { readonly what: 'count'; readonly first?: number }
  | { readonly what: 'behave'; readonly application: number; readonly as: Behaviour };

/** Events that one destination has received since the last reset. */
interface Application {
  readonly application: number;
  /** Number of different events. */
  readonly distinct: number;
  /** Delays of the first arrivals, from the time in the event. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Events that all destinations have received since the last reset. */
export interface Counted {
  readonly applications: readonly Application[];
  /** Number of repeated arrivals at a destination. */
  readonly repeated: number;
  /** Delay of the first arrivals at the requested destinations together. */
  readonly p99Ms: number;
  readonly requests: number;
  /** Times in flight of watched events that were late. */
  readonly late: readonly Window[];
  /** Time of the last request, in milliseconds since 1970. */
  readonly lastMs: number;
}

/** Destinations that count what they receive, in a process of their own. */
export class Counter {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(): Promise<Counter> {
    const child = fork(join(__dirname, 'counter-process.js'));
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new Counter(child, port);
  }

  /** The URL of a destination. */
  url(application: number): string {
    return `http://127.0.0.1:${this.port}/${application}`;
  }

  async ask(asked: Asked): Promise<Counted> {
    this.child.send(asked);
    const [counted] = (await once(this.child, 'message')) as [Counted];
    return counted;
  }

  /** Number of different events, summed over all destinations. */
  async distinct(): Promise<number> {
    const { applications } = await this.ask({ what: 'count' });
    return applications.reduce((sum, { distinct }) => sum + distinct, 0);
  }

  /** Sets the behaviour of a destination. */
  behave(application: number, as: Behaviour): Promise<Counted> {
    return this.ask({ what: 'behave', application, as });
  }

  stop(): Promise<void> {
    return stop(this.child);
  }
}
