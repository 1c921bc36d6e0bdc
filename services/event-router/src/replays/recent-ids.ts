import { type ConnectionId, TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { readIncoming } from '../routing/incoming';
import type { Clock } from '../time/clock';
import { unlessAborted } from '../time/aborted';
import { makeWay } from './make-way';
import { RECOGNIZED_WITHIN, RepeatedIds } from './repeated-ids';

export interface RecentContext {
  readonly clock: Clock;
  readonly log: Pick<MessageLog, 'read'>;
  /** Milliseconds by which the live reader of this process lags. */
  readonly liveLagMs: () => number;
}

/** A place in a window. */
interface Place {
  readonly partition: number;
  readonly position: number;
  /** The first offset of the window in the partition. */
  readonly start: number;
}

const SLICE_BYTES = 1024 * 1024;

/** The ids of the events that a replay has read last; what another process has read is read again. */
export class RecentIds {
  private known: { readonly partition: number; readonly ids: RepeatedIds } | undefined;

  constructor(private readonly context: RecentContext) {}

  /**
   * The ids of the latest records before a place, of events of these sources.
   *
   * @throws LogUnavailable; the signal's reason.
   */
  async before(
    sources: ReadonlySet<ConnectionId>,
    { partition, position, start }: Place,
    signal: AbortSignal,
  ): Promise<RepeatedIds> {
    const { known } = this;
    if (known?.partition === partition && known.ids.next === position) return known.ids;
    const ids = new RepeatedIds(Math.max(start, position - RECOGNIZED_WITHIN));
    while (ids.next < position) await this.readAgain(ids, sources, { partition, position }, signal);
    this.known = { partition, ids };
    return ids;
  }

  private async readAgain(
    ids: RepeatedIds,
    sources: ReadonlySet<ConnectionId>,
    { partition, position }: Pick<Place, 'partition' | 'position'>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log, liveLagMs } = this.context;
    const reading = log.read(TOPIC.events, partition, ids.next, SLICE_BYTES);
    const { records, next } = await unlessAborted(signal, reading);
    const startMs = clock.nowMs();
    for (const record of records) {
      if (record.offset >= position) break;
      const incoming = readIncoming(record);
      if (incoming.kind === 'event' && sources.has(incoming.head.source))
        ids.isRepeated(incoming.hash, record.offset);
    }
    // Without a record, nothing before the position is left in the log.
    ids.next = next > ids.next ? Math.min(next, position) : position;
    await makeWay(clock, liveLagMs(), clock.nowMs() - startMs);
  }
}
