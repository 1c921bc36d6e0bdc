import type { JobId } from '@penstock/contracts';
import { readAcceptedEvent } from '@penstock/contracts';
import type { DeliveryKey, StoredDelivery } from '../changes';
import { cleanText } from '../clean-text';
import type { Job, JobPlace } from '../jobs/job';
import { type RedriveRequest, redriveRequest } from '../redrive-request';
import {
  type ChosenKey,
  type ChosenRow,
  type Choosing,
  type DeadLetter,
  MOST_COUNTED,
  RedriveStore,
} from '../redrive-store';
import { chosenKey, type MemoryChosen, type MemoryDatabase } from './memory-database';

type Placed = StoredDelivery & { readonly partition: number; readonly changedMs: number };

/** Codes of dead letters whose pipeline or event is gone. */
const GONE: ReadonlySet<string> = new Set(['Deleted', 'Unstorable', 'Unreadable']);

const byPlace = (a: DeliveryKey, b: DeliveryKey): number =>
  a.offset - b.offset || (a.pipeline < b.pipeline ? -1 : a.pipeline > b.pipeline ? 1 : 0);

/** The workspace of an event, and when it was received, in milliseconds since 1970. */
const aboutBody = (body: string): { workspace: string; receivedMs: number } => {
  try {
    const { workspace, eventText } = readAcceptedEvent(body);
    const { receivedAt } = JSON.parse(eventText) as { receivedAt: string };
    return { workspace, receivedMs: Date.parse(receivedAt) };
  } catch {
    return { workspace: '', receivedMs: NaN };
  }
};

const isWanted = (
  { workspace, pipeline }: Pick<JobPlace, 'workspace' | 'pipeline'>,
  { state, code, from, to, deliveries }: RedriveRequest,
  row: Placed,
): boolean => {
  if (row.pipeline !== pipeline || row.state === 'Waiting') return false;
  if (GONE.has(row.code)) return false;
  if ((state ?? row.state) !== row.state || (code ?? row.code) !== row.code) return false;
  const about = aboutBody(row.body);
  if (about.workspace !== workspace) return false;
  if (from !== undefined && !(about.receivedMs >= Date.parse(from))) return false;
  if (to !== undefined && !(about.receivedMs < Date.parse(to))) return false;
  const isSame = (it: { partition: number; offset: number }): boolean =>
    it.partition === row.partition && it.offset === row.offset;
  return deliveries?.some(isSame) ?? true;
};

const orderKeyOf = (
  { orderKey, offset }: StoredDelivery,
  ordering: RedriveRequest['ordering'],
): string => {
  const own = `@${offset}`;
  const ofUser = orderKey.endsWith(own) ? orderKey.slice(0, -own.length) : orderKey;
  return ordering === 'none' ? `${ofUser}${own}` : ofUser;
};

/** The chosen dead letters of a {@link MemoryDatabase}. */
export class MemoryRedrives extends RedriveStore {
  constructor(private readonly database: MemoryDatabase) {
    super();
  }

  override count(place: JobPlace, request: RedriveRequest): Promise<number> {
    return Promise.resolve(this.wanted(place, request).length);
  }

  override countOf(id: JobId, place: JobPlace, request: RedriveRequest): Promise<number> {
    const job = this.database.jobs.get(id);
    const rest =
      job?.state === 'Preparing'
        ? this.wanted(place, request).filter(({ changedMs }) => changedMs <= job.createdMs).length
        : 0;
    const counted = this.database.jobCounts.get(`${id}|Chosen`)?.count ?? 0;
    return Promise.resolve(counted + rest);
  }

  override choose(id: JobId): Promise<Choosing> {
    const { jobs, chosen } = this.database;
    const job = jobs.get(id);
    if (job?.state !== 'Preparing') return Promise.resolve('over');
    const request = redriveRequest(job.request);
    for (const row of this.wanted(job, request)) {
      if (row.changedMs > job.createdMs) continue;
      const { partition, offset, pipeline } = row;
      const orderKey = orderKeyOf(row, request.ordering);
      const untried = { attempts: 0, dueMs: 0, reason: '' };
      const each: MemoryChosen = { partition, offset, pipeline, job: id, orderKey, ...untried };
      chosen.set(chosenKey(partition, row), each);
      this.database.countForJob(id, 'Chosen');
    }
    jobs.set(id, { ...job, state: 'Running' });
    return Promise.resolve('over');
  }

  override keys(
    id: JobId,
    partition: number,
    after: string | null,
    limit: number,
  ): Promise<readonly ChosenKey[]> {
    const keys = new Map<string, MemoryChosen[]>();
    for (const row of this.chosenOf(id, partition)) {
      if (after !== null && row.orderKey <= after) continue;
      const own = keys.get(row.orderKey);
      if (own === undefined) keys.set(row.orderKey, [row]);
      else own.push(row);
    }
    const found = [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit);
    return Promise.resolve(
      found.map(([orderKey, rows]) => ({
        orderKey,
        rows: rows.length > MOST_COUNTED ? Infinity : rows.length,
        dueMs: rows[0]?.dueMs ?? 0,
      })),
    );
  }

  override rows(
    id: JobId,
    partition: number,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly ChosenRow[]> {
    const rows = this.chosenOf(id, partition)
      .filter((row) => row.orderKey === cleanText(orderKey))
      .filter((row) => after === null || byPlace(row, after) > 0)
      .slice(0, limits.rows)
      .map((row) => this.rowOf(row));
    let bytes = 0;
    const end = rows.findIndex(({ deadLetter }) => {
      if (bytes >= limits.maxBytes && bytes > 0) return true;
      bytes += Buffer.byteLength(deadLetter?.body ?? '');
      return false;
    });
    return Promise.resolve(end === -1 ? rows : rows.slice(0, end));
  }

  override endDone(): Promise<void> {
    const nowMs = this.database.nowMs();
    for (const job of [...this.database.jobs.values()])
      if (job.kind === 'Redrive' && job.endedMs === null && this.isDone(job)) {
        const state = job.state === 'Running' ? 'Succeeded' : 'Cancelled';
        this.database.jobs.set(job.id, { ...job, state, endedMs: nowMs });
      }
    return Promise.resolve();
  }

  private isDone({ id, state }: Job): boolean {
    if (state === 'Preparing') return false;
    const left = [...this.database.chosen.values()].filter(({ job }) => job === id);
    if (state === 'Running') return left.length === 0;
    return left.every(({ partition }) => {
      const stoppedIn = this.database.redriveStops.get(`${id}/${partition}`);
      return stoppedIn === this.database.partition(partition).epoch;
    });
  }

  private chosenOf(id: JobId, partition: number): MemoryChosen[] {
    if (this.database.jobs.get(id)?.state !== 'Running') return [];
    const all = [...this.database.chosen.values()];
    return all.filter((row) => row.job === id && row.partition === partition).sort(byPlace);
  }

  private rowOf({ partition, offset, pipeline, attempts, dueMs, reason }: MemoryChosen): ChosenRow {
    const row = this.database.partition(partition).row({ offset, pipeline })?.delivery;
    const isThere = row !== undefined && row.state !== 'Waiting';
    const deadLetter = isThere ? deadLetterOf(row) : null;
    return { offset, pipeline, attempts, dueMs, reason, deadLetter };
  }

  private wanted(
    place: Pick<JobPlace, 'workspace' | 'pipeline'>,
    request: RedriveRequest,
  ): Placed[] {
    const all = this.database.partitions.flatMap(([partition, { rows }]) =>
      rows.map(({ delivery, changedMs }) => ({ ...delivery, partition, changedMs })),
    );
    return all
      .filter((row) => isWanted(place, request, row))
      .filter((row) => !this.database.isChosen(row.partition, row));
  }
}

const deadLetterOf = ({ version, state, step, code, body }: StoredDelivery): DeadLetter => ({
  version,
  state: state as DeadLetter['state'],
  step,
  code,
  body,
});
