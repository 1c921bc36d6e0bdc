import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stop } from '../child';
import type { Window } from '../cpu-origins';

/** How an application answers from now on: 200, 503, 500, 429 with `Retry-After`, or never. */
export type Behaviour = 'well' | 'away' | 'failing' | 'throttling' | 'hanging';

/** What the counting process is told. */
export type Asked =
  | { readonly what: 'reset' }
  /** Keeps from when to when events of the first so many applications were on their way, where that took so long. */
  | { readonly what: 'watch'; readonly first: number; readonly lateMs: number }
  /** With the delays of the first so many applications together; default: of none. */
  | { readonly what: 'count'; readonly first?: number }
  | { readonly what: 'behave'; readonly application: number; readonly as: Behaviour };

/** What one application has been sent, since the last reset. */
interface Application {
  readonly application: number;
  /** Different events. */
  readonly distinct: number;
  /** Of the first arrivals, from the moment that stands in the event. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** What all applications have been sent, since the last reset. */
export interface Counted {
  readonly applications: readonly Application[];
  /** Events beyond the first arrival at their application. */
  readonly repeated: number;
  /** Of the first arrivals at the applications that were asked for, together. */
  readonly p99Ms: number;
  readonly requests: number;
  /** Of the events that were watched and late; of no others. */
  readonly late: readonly Window[];
  /** When the last request came, in milliseconds since 1970. */
  readonly lastMs: number;
}

/** Applications that count what they are sent, in a process of their own. */
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

  /** Where the application takes events. */
  url(application: number): string {
    return `http://127.0.0.1:${this.port}/${application}`;
  }

  async ask(asked: Asked): Promise<Counted> {
    this.child.send(asked);
    const [counted] = (await once(this.child, 'message')) as [Counted];
    return counted;
  }

  /** Different events that have come, of all applications. */
  async distinct(): Promise<number> {
    const { applications } = await this.ask({ what: 'count' });
    return applications.reduce((sum, { distinct }) => sum + distinct, 0);
  }

  /** The application answers so from now on. */
  behave(application: number, as: Behaviour): Promise<Counted> {
    return this.ask({ what: 'behave', application, as });
  }

  stop(): Promise<void> {
    return stop(this.child);
  }
}
