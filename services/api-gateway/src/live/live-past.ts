import { setTimeout as sleep } from 'node:timers/promises';
import { TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { Seals } from '@penstock/runtime';
import { FairTurns } from '@penstock/turns';
import type { LiveListener } from './live-listener';
import { readSample } from './read-sample';

/** Records that are read for a client that comes back; older ones are left out. */
const MAX_RECALLED = 2_000;
/** Records before those, among which are the events whose outcomes the client awaits. */
const KNOWN_BEFORE = 500;
const SLICE_BYTES = 1_000_000;
/** How long others wait for a client that does not read what it is shown; the rest is counted as missed by it. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 10;
/** Clients that are shown their past at a time. */
const PLACES = 2;

/** Shows clients that come back what they have missed. */
export class LivePast {
  private readonly turns = new FairTurns({ places: PLACES });

  constructor(
    private readonly log: Pick<MessageLog, 'read'>,
    private readonly seals: Pick<Seals, 'open'>,
  ) {}

  /**
   * Shows the records after the last one that the client has seen, up to an offset. Clients take turns, so that many
   * that come back at once need no more memory than a few, and those of one workspace wait for each other.
   *
   * @param end offset before which records are read.
   * @throws LogUnavailable
   */
  recall(listener: LiveListener, after: number, end: number): Promise<void> {
    return this.turns.take({ share: listener.watch.workspace }, () =>
      this.read(listener, after, end),
    );
  }

  private async read(listener: LiveListener, after: number, end: number): Promise<void> {
    // Another log than the one that the client has read.
    if (after >= end) return;
    const wanted = Math.max(after + 1, end - MAX_RECALLED);
    let isTold = wanted === after + 1;
    let next = Math.max(0, wanted - KNOWN_BEFORE);
    const untilMs = performance.now() + PATIENCE_MS;
    while (next < end) {
      const slice = await this.log.read(TOPIC.live, 0, next, SLICE_BYTES);
      if (!isTold || slice.begin > wanted) listener.tellExpired();
      isTold = true;
      for (const record of slice.records) {
        if (record.offset >= end) return;
        const sample = readSample(record, this.seals, (id) => id === listener.watch.workspace);
        if (sample === undefined) continue;
        while (!listener.hasRoom() && performance.now() < untilMs) await sleep(LOOK_MS);
        listener.recall(sample, record.offset >= wanted);
      }
      next = Math.max(slice.next, next + 1);
    }
  }
}
