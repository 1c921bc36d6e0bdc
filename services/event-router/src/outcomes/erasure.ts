import {
  type ConfigurationReplica,
  eventCodec,
  readAcceptedEvent,
  type Suppressions,
} from '@penstock/contracts';
import { isOfSuppressed } from '../routing/is-of-suppressed';
import type { BodyKey } from '../store/changes';
import type { RouterStore } from '../store/router-store';

const BODIES_A_READ = 500;

/** Erases the stored bodies of events of suppressed users. Waiting deliveries are filtered when they are due. */
export class Erasure {
  private doneFor = 0;
  /** Milliseconds of the monotonic clock. */
  private againAtMs = Infinity;
  private running: Promise<void> | undefined;

  constructor(
    private readonly replica: ConfigurationReplica,
    private readonly suppressions: Suppressions,
    private readonly store: RouterStore,
    private readonly requestTimeoutMs: number,
  ) {}

  /**
   * Checks all stored bodies after each change of suppressions, and once more when the requests that were under way
   * then have ended. Rejects while the database is unavailable.
   */
  run(): Promise<void> {
    this.running ??= this.eraseNew().finally(() => (this.running = undefined));
    return this.running;
  }

  private async eraseNew(): Promise<void> {
    const { suppressedFrom } = this.replica;
    const isNew = suppressedFrom > this.doneFor;
    if (!isNew && performance.now() < this.againAtMs) return;
    this.againAtMs = isNew ? performance.now() + 2 * this.requestTimeoutMs : Infinity;
    for (let after: BodyKey | undefined = { partition: -1, offset: 0 }; after !== undefined;)
      after = await this.erasePage(after);
    this.doneFor = suppressedFrom;
  }

  /** Erases one page of bodies. @returns the key of its last one; undefined: there are no more. */
  private async erasePage(after: BodyKey): Promise<BodyKey | undefined> {
    const kept = await this.store.keptBodies(after, BODIES_A_READ);
    const erased = kept.filter(({ body }) => this.isErased(body));
    if (erased.length > 0) await this.store.erase(erased);
    return kept.at(-1);
  }

  /** A dead letter that the database refused is kept without its event, so that nothing of a user is in it. */
  private isErased(body: string): boolean {
    if (body === '') return false;
    const { workspace, eventText } = readAcceptedEvent(body);
    if (eventText === '') return false;
    return isOfSuppressed(this.suppressions, workspace, eventCodec.parse(eventText));
  }
}
