import { type ConfigurationReplica, DELIVERY_BOUNDS, type Suppressions } from '@penstock/contracts';
import { readIncoming } from '../routing/incoming';
import { isOfSuppressed } from '../routing/is-of-suppressed';
import type { BodyKey } from '../store/changes';
import type { KeptBody, RouterStore } from '../store/router-store';
import { ErasureTurns } from './erasure-turns';

const BODIES_A_READ = 500;
/** Time after which no request is under way, and no ending of one is to be committed, that was begun before a suppression. */
export const REQUESTS_ENDED_MS = 2_000 * DELIVERY_BOUNDS.maxTimeoutSeconds;

/** Erases the stored bodies of events of suppressed users. Waiting deliveries are filtered when they are due. */
export class Erasure {
  private readonly turns: ErasureTurns;

  constructor(
    replica: ConfigurationReplica,
    private readonly suppressions: Suppressions,
    private readonly store: RouterStore,
    nowMs: () => number,
  ) {
    const suppressedFrom = (): number => replica.suppressedFrom;
    const times = { suppressedFrom, nowMs, settledMs: REQUESTS_ENDED_MS };
    this.turns = new ErasureTurns(times, () => this.eraseAll());
  }

  /**
   * Checks all stored bodies after each change of suppressions, and once more when the requests that were under way
   * then have ended. Rejects while the database is unavailable.
   */
  run(): Promise<void> {
    return this.turns.run();
  }

  private async eraseAll(): Promise<void> {
    for (let after: BodyKey | undefined = { partition: -1, offset: 0 }; after !== undefined;)
      after = await this.erasePage(after);
  }

  /** Erases one page of bodies. @returns the key of its last one; undefined: there are no more. */
  private async erasePage(after: BodyKey): Promise<BodyKey | undefined> {
    const kept = await this.store.keptBodies(after, BODIES_A_READ);
    const erased = kept.filter((each) => this.isErased(each));
    if (erased.length > 0) await this.store.erase(erased);
    return kept.at(-1);
  }

  /**
   * What cannot be read is left: a dead letter that the database refused is kept without its event, so that nothing of a
   * user is in it, and a row of a newer form is for routers that read it.
   */
  private isErased({ body, ...place }: KeptBody): boolean {
    const incoming = readIncoming({ ...place, key: '', value: body, timestampMs: 0 });
    if (incoming.kind === 'unreadable' || incoming.event === undefined) return false;
    return isOfSuppressed(this.suppressions, incoming.head.workspace, incoming.event);
  }
}
