import { ALERT_WINDOWS, type PipelineId } from '@penstock/contracts';
import {
  AlertStore,
  type AttemptResult,
  type Evaluation,
  type MeasuredPipeline,
  type NotificationPage,
  type PipelineMeasure,
  type StoredNotification,
  type TakeLimits,
  type TakenNotification,
  type WatchedObject,
} from '../alerts/alert-store';
import { isKept } from '../changes';
import { cleanText } from '../clean-text';
import type { MemoryDatabase, MemoryNotification } from './memory-database';

const MINUTE_MS = 60_000;
const ENDED: ReadonlySet<string> = new Set(['Delivered', 'Rejected', 'Parked']);

const keyOf = ({ alert, subject, id }: WatchedObject): string => `${alert} ${subject} ${id}`;

const byTime = (one: MemoryNotification, other: MemoryNotification): number =>
  one.dueMs - other.dueMs || one.number - other.number;

/** The endings of one pipeline within so many minutes. */
const endingsIn = (
  { counters, nowMs }: MemoryDatabase,
  pipeline: PipelineId,
  minutes: number,
): PipelineMeasure['endings'][5] => {
  const after = Math.floor(nowMs() / MINUTE_MS) - minutes;
  let [all, deadLetters] = [0, 0];
  for (const [key, count] of counters) {
    const [of, state = '', , ...rest] = key.split('|');
    const code = rest.slice(0, -1).join('|');
    if (of !== pipeline || !ENDED.has(state) || Number(rest.at(-1)) <= after) continue;
    all += count;
    if (isKept({ state: state as 'Rejected', code })) deadLetters += count;
  }
  return { all: Math.max(0, all), deadLetters: Math.max(0, deadLetters) };
};

/** The alerts of a {@link MemoryDatabase}. Takes for the receipt of a stored delivery the time at which it was written. */
export class MemoryAlerts extends AlertStore {
  constructor(private readonly database: MemoryDatabase) {
    super();
  }

  override evaluate({ seen, pipelines, measureMs, decide }: Evaluation): Promise<boolean> {
    const { alerts } = this.database;
    if (alerts.position > seen()) return Promise.resolve(false);
    const nowMs = this.database.nowMs();
    const isDue = alerts.measuredMs <= nowMs - measureMs;
    const measures = isDue ? new Map(pipelines.map((each) => this.measure(each, nowMs))) : null;
    const holding = [...alerts.holding].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it);
    for (const { change, notification, ...object } of decide({ nowMs, holding, measures })) {
      if (change === 'Began') alerts.holding.set(keyOf(object), object);
      else alerts.holding.delete(keyOf(object));
      if (notification !== null)
        alerts.notifications.set(notification.id, {
          ...object,
          change,
          notification: notification.id,
          number: (alerts.newest += 1),
          body: notification.body,
          state: 'Waiting',
          attempts: 0,
          status: null,
          reason: '',
          createdMs: nowMs,
          dueMs: nowMs,
          endedMs: null,
          takenUntilMs: -Infinity,
        });
    }
    alerts.position = seen();
    if (isDue) alerts.measuredMs = nowMs;
    return Promise.resolve(true);
  }

  override take({ ofWorkspace, most, forMs }: TakeLimits): Promise<readonly TakenNotification[]> {
    const nowMs = this.database.nowMs();
    const taken = this.free(ofWorkspace, nowMs).slice(0, most);
    return Promise.resolve(
      taken.map((each) => {
        const attempts = each.attempts + 1;
        const untilMs = nowMs + forMs;
        this.replace({ ...each, attempts, dueMs: untilMs, takenUntilMs: untilMs });
        const { notification: id, alert, workspace, body, createdMs } = each;
        return { id, alert, workspace, body, attempts, ageMs: nowMs - createdMs };
      }),
    );
  }

  override settle(
    { id, attempts }: Pick<TakenNotification, 'id' | 'attempts'>,
    { state, status, reason, afterMs }: AttemptResult,
  ): Promise<void> {
    const found = this.database.alerts.notifications.get(id);
    if (found === undefined || found.endedMs !== null) return Promise.resolve();
    if (found.attempts !== attempts && state !== 'Delivered') return Promise.resolve();
    const nowMs = this.database.nowMs();
    this.replace({
      ...found,
      state,
      status,
      reason: cleanText(reason),
      dueMs: nowMs + afterMs,
      takenUntilMs: -Infinity,
      endedMs: state === 'Waiting' ? null : nowMs,
    });
    return Promise.resolve();
  }

  override list(
    { alert, workspace }: Pick<WatchedObject, 'alert' | 'workspace'>,
    { limit, before }: NotificationPage,
  ): Promise<readonly StoredNotification[]> {
    const found = this.all
      .filter((each) => each.alert === alert && each.workspace === workspace)
      .filter(({ notification }) => before === undefined || notification < before)
      .sort((one, other) => (one.notification < other.notification ? 1 : -1))
      .slice(0, limit);
    return Promise.resolve(
      found.map(
        ({ alert: _a, workspace: _w, body: _b, takenUntilMs: _t, number: _n, ...each }) => each,
      ),
    );
  }

  /** Removes notifications that ended before the time. */
  sweep(beforeMs: number): void {
    for (const { notification, endedMs } of this.all)
      if (endedMs !== null && endedMs < beforeMs)
        this.database.alerts.notifications.delete(notification);
  }

  private get all(): MemoryNotification[] {
    return [...this.database.alerts.notifications.values()];
  }

  private replace(changed: MemoryNotification): void {
    this.database.alerts.notifications.set(changed.notification, changed);
  }

  /** Those that are due, in the order in which they are taken. */
  private free(ofWorkspace: number, nowMs: number): MemoryNotification[] {
    const waiting = this.all.filter(({ endedMs }) => endedMs === null).sort(byTime);
    const firsts = new Map<string, number>();
    for (const each of waiting)
      firsts.set(keyOf(each), Math.min(each.number, firsts.get(keyOf(each)) ?? Infinity));
    const turns = new Map<string, number>();
    for (const { workspace, takenUntilMs } of waiting)
      if (takenUntilMs > nowMs) turns.set(workspace, (turns.get(workspace) ?? 0) + 1);
    const ordered: { readonly turn: number; readonly each: MemoryNotification }[] = [];
    for (const each of waiting) {
      if (each.dueMs > nowMs || firsts.get(keyOf(each)) !== each.number) continue;
      const turn = (turns.get(each.workspace) ?? 0) + 1;
      if (turn > ofWorkspace) continue;
      turns.set(each.workspace, turn);
      ordered.push({ turn, each });
    }
    return ordered
      .sort((one, other) => one.turn - other.turn || byTime(one.each, other.each))
      .map(({ each }) => each);
  }

  private measure(
    { pipeline, connection }: MeasuredPipeline,
    nowMs: number,
  ): [PipelineId, PipelineMeasure] {
    const [of5, of15, of60] = ALERT_WINDOWS.map((minutes) =>
      endingsIn(this.database, pipeline, minutes),
    );
    const none = { all: 0, deadLetters: 0 };
    const noted = [...this.database.waiting.values()].flatMap((since) =>
      [since.get(pipeline), since.get(connection)].filter((ms) => ms !== undefined),
    );
    const stored = this.database.partitions.flatMap(([, { rows }]) =>
      rows
        .filter(({ delivery: it }) => it.pipeline === pipeline && it.state === 'Waiting')
        .map(({ changedMs }) => changedMs),
    );
    const oldestMs = Math.min(nowMs, ...noted, ...stored);
    const lagSeconds = Math.ceil((nowMs - oldestMs) / 1_000);
    return [
      pipeline,
      { endings: { 5: of5 ?? none, 15: of15 ?? none, 60: of60 ?? none }, lagSeconds },
    ];
  }
}
